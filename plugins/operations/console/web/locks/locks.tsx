import { useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Lock as LockIcon } from 'lucide-react';
import type { LockView } from '../../../../../cli/generated/api.ts';
import { useLive } from '../api/live.ts';
import { readAgain } from '../api/read-again.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Mark } from '../kit/avatar.tsx';
import { Empty, Status, Tag, Time } from '../kit/basics.tsx';
import { useBatched } from '../kit/batched.ts';
import { List } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Rows } from '../kit/rows.tsx';
import { exactTime, visible } from '../kit/text.ts';

/** The list is read again at most so often, however many runs change. */
const AFTER_RUNS_MS = 1000;
/** So many of those that hold it or wait have a link in the row. */
const LINKED = 3;

/** The leases that are held, and groups that start no run for now. A lease is freed by cancelling the run that holds it, on the page of that run. */
export function Locks() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/locks' });
  const client = useQueryClient();
  const path = scoped(scope, '/locks');
  const list = usePaged<'locks', LockView>('locks', path, {}, { again_ms: AGAIN_MS, whole: true });
  // Leases come and go with what runs do; who left a queue without a change of their run is seen by the next reading.
  const again = useBatched(() => void readAgain(client, listKey(path, {})), AFTER_RUNS_MS);
  useLive(scope, 'runs', again);
  return (
    <Page title="Locks" bleed about={list.count} same={{ command: 'svc locks ls', call: `GET ${path}` }}>
      <List
        list={list}
        nothing={
          <Empty icon={LockIcon} title="No locks are held">
            A script acquires a lock with <code>svc lock &lt;group&gt;</code>. One run at a time holds a group, or as
            many as its limit allows; the others wait in order.
          </Empty>
        }
      >
        {(locks) => (
          <>
            <p className="lead">
              A group is held by one run at a time, or by as many as its limit allows; other runs wait in order. To free
              a lock, cancel its run.
            </p>
            <Rows<LockView>
              label="Locks"
              head="Group"
              items={locks}
              keyOf={({ group, trusted }) => `${group} ${trusted}`}
              mark={() => <Mark icon={LockIcon} />}
              title={({ group }) => (
                <span className="strong clip" title={visible(group)}>
                  {visible(group)}
                </span>
              )}
              beside={({ trusted }) => !trusted && <Tag>Untrusted runs</Tag>}
              columns={[
                {
                  ...{ name: 'Held by', look: 'c-short' },
                  cell: (lock) => <Holders scope={scope} lock={lock} />,
                },
                { name: 'Queue', cell: (lock) => <Queue scope={scope} lock={lock} /> },
                { name: 'Fence', look: 'c-short c-wide second', cell: ({ holder }) => holder?.fence },
                { name: 'Held since', look: 'c-end', cell: (lock) => <Since lock={lock} /> },
              ]}
              second={(lock) => (
                <>
                  <Holders scope={scope} lock={lock} /> <Queue scope={scope} lock={lock} />
                </>
              )}
              aside={(lock) => <Since lock={lock} />}
            />
          </>
        )}
      </List>
    </Page>
  );
}

const Since = ({ lock: { holder } }: { lock: LockView }) => (holder ? <Time at={holder.since} /> : null);

/** One holder; or how many there are and may be, with the first of them. */
function Holders({ scope, lock }: { scope: Scope; lock: LockView }) {
  const { limit, holder, holders, holder_count } = lock;
  if (!holder) return <span className="quiet">No one</span>;
  if (limit === 1) return <RunLink scope={scope} run={holder.run_id} />;
  const more = holder_count - Math.min(holders.length, LINKED);
  return (
    <span className="tags">
      <Tag>{`${holder_count}/${limit}`}</Tag>
      <ol className="tags" aria-label="Runs that hold it">
        {holders.slice(0, LINKED).map(({ run_id, fence }) => (
          <li key={fence}>
            <RunLink scope={scope} run={run_id} />
          </li>
        ))}
      </ol>
      {more > 0 && <span className="quiet">+{more}</span>}
    </span>
  );
}

function Queue({ scope, lock }: { scope: Scope; lock: LockView }) {
  const { queue, queue_length, throttle, next_start_at } = lock;
  if (queue_length === 0) return <span className="quiet">No one</span>;
  const more = queue_length - Math.min(queue.length, LINKED);
  return (
    <span className="tags">
      <Status of="waiting">{queue_length} waiting</Status>
      <ol className="tags" aria-label="Waiting runs">
        {queue.slice(0, LINKED).map(({ run_id, since }) => (
          <li key={`${run_id} ${since}`} title={`Waiting since ${exactTime(since)}`}>
            <RunLink scope={scope} run={run_id} />
          </li>
        ))}
      </ol>
      {more > 0 && <span className="quiet">+{more}</span>}
      {throttle && next_start_at && (
        <span className="quiet">
          {throttle.limit} in {throttle.period}, next <Time at={next_start_at} />
        </span>
      )}
    </span>
  );
}

const RunLink = ({ scope, run }: { scope: Scope; run: string }) => (
  <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run }} className="mono" title={run}>
    {run.slice(-6)}
  </Link>
);
