import { Link } from '@tanstack/react-router';
import type { RunRecord, Summary } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Empty, StatusIcon } from '../kit/basics.tsx';
import { useNow } from '../kit/clock.ts';
import { CommandLine, Panel } from '../kit/page.tsx';
import { roughly, visible } from '../kit/text.ts';
import { detailOf } from '../runs/detail.ts';

const SHOWN = 6;

interface Props {
  scope: Scope;
  counts: Summary['runs'];
  /** Newest first; undefined until they are read. */
  open: readonly RunRecord[] | undefined;
}

export function InProgress({ scope, counts: { running, waiting, queued }, open }: Props) {
  const now = useNow();
  return (
    <Panel
      title="In progress"
      flush
      aside={
        <nav className="statuses" aria-label="Runs by status">
          {Object.entries({ running, waiting, queued }).map(([status, n], index) => (
            <span key={status}>
              {index > 0 && <span aria-hidden> · </span>}
              <Link to="/orgs/$org/projects/$project/runs" params={scope} search={{ status }}>
                {n} {status}
              </Link>
            </span>
          ))}
        </nav>
      }
      foot={<CommandLine command="svc runs ls --status queued,running,waiting" />}
    >
      {open?.length === 0 && <Empty>No run is in progress.</Empty>}
      {open && open.length > 0 && (
        <ul className="mini">
          {open.slice(0, SHOWN).map((run) => (
            <li key={run.run_id}>
              <StatusIcon of={run.status} />
              <Link
                className="strong"
                to="/orgs/$org/projects/$project/runs/$run"
                params={{ ...scope, run: run.run_id }}
              >
                {visible(run.workflow)}
              </Link>
              <span className="second clip">{visible(detailOf(run, now).text)}</span>
              <span className="quiet small-text push num">{roughly(now - Date.parse(run.created_at))}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
