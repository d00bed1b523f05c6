import { useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { LockView } from '../../../../../cli/generated/api.ts';
import { useLive } from '../api/live.ts';
import { readAgain } from '../api/read-again.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Name, Time } from '../kit/basics.tsx';
import { useBatched } from '../kit/batched.ts';
import { List, Table } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';

/** The list is read again at most so often, however many runs change. */
const AFTER_RUNS_MS = 1000;

/** The leases that are held. A lease is freed by cancelling the run that holds it, on the page of that run. */
export function Locks() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/locks' });
  const client = useQueryClient();
  const path = scoped(scope, '/locks');
  const list = usePaged<'locks', LockView>('locks', path, {}, { again_ms: AGAIN_MS });
  // Leases come and go with what runs do; who left a queue without a change of their run is seen by the next reading.
  const again = useBatched(() => void readAgain(client, listKey(path, {})), AFTER_RUNS_MS);
  useLive(scope, 'runs', again);
  return (
    <Page title="Locks" same={{ command: 'svc locks ls', call: `GET ${path}` }}>
      <p className="quiet">
        One run at a time holds a group; the others wait in order. To free a lease, cancel its run.
      </p>
      <List list={list} empty="No lease is held.">
        {(items) => (
          <Table columns={['Group', 'Held by', 'Since', 'Queue', '-Fence']}>
            {items.map((lock) => (
              <Lock key={`${lock.group} ${lock.trusted}`} scope={scope} lock={lock} />
            ))}
          </Table>
        )}
      </List>
    </Page>
  );
}

function Lock({ scope, lock: { group, trusted, holder, queue, queue_length } }: { scope: Scope; lock: LockView }) {
  const more = queue_length - queue.length;
  return (
    <tr>
      <td>
        <strong>
          <Name>{group}</Name>
        </strong>
        {!trusted && <div className="quiet">of runs that are not trusted</div>}
      </td>
      <td className="word">
        <RunLink scope={scope} run={holder.run_id} />
      </td>
      <td className="tight">
        <Time at={holder.since} />
      </td>
      <td className="word">
        {queue.length === 0 ? (
          <span className="quiet">nobody waits</span>
        ) : (
          <ol className="queue">
            {queue.map(({ run_id, since }) => (
              <li key={`${run_id} ${since}`}>
                <RunLink scope={scope} run={run_id} />{' '}
                <span className="quiet">
                  <Time at={since} />
                </span>
              </li>
            ))}
          </ol>
        )}
        {more > 0 && <div className="quiet">and {more} more</div>}
      </td>
      <td className="wide">{holder.fence}</td>
    </tr>
  );
}

const RunLink = ({ scope, run }: { scope: Scope; run: string }) => (
  <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run }} className="mono" title={run}>
    {run.slice(-6)}
  </Link>
);
