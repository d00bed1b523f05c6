import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useRef } from 'react';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Status, Time } from '../kit/basics.tsx';
import { List, Table } from '../kit/list.tsx';
import { Panel } from '../kit/page.tsx';
import { usePaged } from '../kit/paged.ts';
import { visible } from '../kit/text.ts';

const FROM = '/orgs/$org/projects/$project/runs/compare';

/** Chooses what is missing: by its id, or among the newest runs of the same workflow. */
export function Choice({ scope, a, b }: { scope: Scope; a: string | undefined; b: string | undefined }) {
  const navigate = useNavigate({ from: FROM });
  const form = useRef<HTMLFormElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const given = new FormData(form.current!);
    const text = (name: string) => String(given.get(name) ?? '').trim() || undefined;
    void navigate({ search: { a: text('a'), b: text('b') } });
  };
  return (
    <>
      <Panel>
        <form ref={form} onSubmit={submit} className="fields">
          <div className="row">
            <label>
              Run A
              <input name="a" required defaultValue={a} placeholder="run_…" />
            </label>
            <label>
              Run B
              <input name="b" required defaultValue={b} placeholder="run_…" />
            </label>
          </div>
          <div className="row">
            <button type="submit">Compare</button>
          </div>
        </form>
      </Panel>
      {a && <Others scope={scope} run_id={a} />}
    </>
  );
}

/** Other runs of the same workflow. */
function Others({ scope, run_id }: { scope: Scope; run_id: string }) {
  const path = scoped(scope, `/runs/${encodeURIComponent(run_id)}`);
  const run = useQuery({ queryKey: ['run', path], queryFn: ({ signal }) => json<RunRecord>(path, { signal }) });
  const workflow = run.data?.workflow;
  const list = usePaged<'runs', RunRecord>(
    'runs',
    scoped(scope, '/runs'),
    { workflow },
    { enabled: workflow !== undefined },
  );
  const items = list.items?.filter((one) => one.run_id !== run_id);
  const error = run.error ?? list.error;
  const refetch = () => void (run.error ? run.refetch() : list.refetch());
  return (
    <Panel title="The newest runs of the same workflow">
      <List list={{ ...list, items, error, refetch }} empty="There is no other run." more="Show older">
        {(runs) => (
          <Table columns={['Run', 'Status', '-Subject', 'Created']}>
            {runs.map((run) => (
              <tr key={run.run_id}>
                <td>
                  <Link from={FROM} to="." search={{ a: run_id, b: run.run_id }} className="mono">
                    {run.run_id}
                  </Link>
                  {run.rerun_of === run_id && <div className="quiet">a rerun of the chosen run</div>}
                </td>
                <td>
                  <Status of={run.status} />
                </td>
                <td className="wide">{visible(run.subject ?? '')}</td>
                <td>
                  <Time at={run.created_at} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </List>
    </Panel>
  );
}
