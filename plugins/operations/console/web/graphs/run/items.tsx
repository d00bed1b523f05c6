import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { NodeRecord } from '../../../../../../cli/generated/api.ts';
import { readAgain } from '../../api/read-again.ts';
import type { Scope } from '../../api/paths.ts';
import { Status } from '../../kit/basics.tsx';
import { List } from '../../kit/list.tsx';
import { listKey, usePaged } from '../../kit/paged.ts';
import { pretty, visible } from '../../kit/text.ts';
import { RunsLink } from '../../runs/table.tsx';
import { RunLink } from '../../run/facts.tsx';
import { runPath } from '../../run/use-run.ts';

interface Props {
  scope: Scope;
  run_id: string;
  record: NodeRecord;
}

const filtersOf = (node: string) => ({ node, output: 'true', limit: 50 });

/** The items of a fan-out that have begun. */
export function Items({ scope, run_id, record }: Props) {
  const { total = 0, begun = 0, ended = 0, failed = 0 } = record.items ?? {};
  const path = `${runPath(scope, run_id)}/steps`;
  const client = useQueryClient();
  const { node } = record;
  const list = usePaged<'steps', NodeRecord>('steps', path, filtersOf(node));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page is told of the node, and its items are read then
  useEffect(() => {
    void readAgain(client, listKey(path, filtersOf(node)));
  }, [begun, ended, client, path, node]);
  return (
    <details>
      <summary>
        {ended} of {total} items ended{failed > 0 ? `, ${failed} failed` : ''}
        {begun > ended ? `, ${begun - ended} in progress` : ''}
      </summary>
      {record.type === 'each' && (
        <p className="items-runs">
          <RunsLink scope={scope} filters={{ trigger: `run:${run_id}` }}>
            Runs of the items
          </RunsLink>
        </p>
      )}
      <List list={list} empty="No item has started yet." more="Show more items">
        {(items) => (
          <ol className="plain">
            {items.map((item) => (
              <li key={item.item}>
                <span className="mono">[{item.item}]</span> <Status of={item.substate ? 'waiting' : item.state} />
                {item.attempt > 1 && <span className="quiet"> attempt {item.attempt}</span>}
                {item.substate?.run_id && (
                  <div>
                    <RunLink scope={scope} run_id={item.substate.run_id} />
                  </div>
                )}
                {item.error && <pre className="bad">{visible(`${item.error.code}\n${item.error.message}`)}</pre>}
                {item.output !== undefined && <pre>{visible(pretty(item.output))}</pre>}
              </li>
            ))}
          </ol>
        )}
      </List>
    </details>
  );
}
