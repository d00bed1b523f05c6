import type { Database } from '../../../../kernel/contracts/index.ts';
import { findBroken, type Invariant } from '../../../../test/kit/index.ts';

const TERMINAL = `('succeeded', 'failed', 'cancelled')`;

/** A replaced ticket is not granted, because its run is about to be cancelled. */
const REPLACED = `(SELECT 1 FROM locks_groups r WHERE r.project_id = t.project_id AND r.group_key = t.group_key
  AND t.ticket < r.replaced_below AND t.run_id <> r.replaced_by)`;
const NOT_REPLACED = `NOT EXISTS ${REPLACED}`;

/** A replaced holder goes on until its run is cancelled. */
const HOLDER_REPLACED = `(SELECT 1 FROM locks_groups r WHERE r.project_id = t.project_id AND r.group_key = t.group_key
  AND t.ticket < r.replaced_holders_below AND t.run_id <> r.replaced_by)`;

/** A group whose throttle keeps its first waiter, until a time. */
const THROTTLED = `(SELECT 1 FROM locks_groups p WHERE p.project_id = t.project_id AND p.group_key = t.group_key
  AND p.throttled = 1 AND p.next_at IS NOT NULL)`;

/** The number that orders a queue. */
const position = (alias: string): string => `COALESCE(${alias}.queue_position, ${alias}.ticket)`;

/** Invariant I11, as statements that find violations. */
const INVARIANTS: readonly Invariant[] = [
  {
    id: 'I11',
    says: 'a group has no more holders than the lowest limit of its holders, which is 1 for those without one',
    finds: `SELECT MIN(run_id) AS run_id, group_key, COUNT(*) AS place FROM locks_tickets
      WHERE state = 'held' GROUP BY project_id, group_key HAVING COUNT(*) > MIN(COALESCE(max_holders, 1))`,
  },
  {
    id: 'I11',
    says: 'one of the holders of a group has the number 1',
    finds: `SELECT MIN(run_id) AS run_id, group_key, MIN(held) AS place FROM locks_tickets
      WHERE state = 'held' GROUP BY project_id, group_key HAVING MIN(held) <> 1`,
  },
  {
    id: 'I11',
    says: 'a held ticket is a holder of its group, and without a limit it has the newest fence',
    finds: `SELECT t.run_id, t.group_key, t.ticket AS place FROM locks_tickets t
      JOIN locks_groups g ON g.project_id = t.project_id AND g.group_key = t.group_key
      WHERE (t.state = 'held' AND (t.held IS NULL OR t.fence IS NULL OR t.fence > g.fence OR t.granted_at IS NULL
        OR (t.max_holders IS NULL AND t.fence <> g.fence)))
      OR (t.state <> 'held' AND t.held IS NOT NULL)`,
  },
  {
    id: 'I11',
    says: 'fences increase in the order of the queue',
    finds: `SELECT t.run_id, t.group_key, t.ticket AS place FROM locks_tickets t
      WHERE t.fence IS NOT NULL AND t.joined IS NULL AND EXISTS (SELECT 1 FROM locks_tickets u
        WHERE u.project_id = t.project_id AND u.group_key = t.group_key AND u.joined IS NULL
        AND u.ticket < t.ticket AND ${position('u')} <= ${position('t')} AND u.fence > t.fence)`,
  },
  {
    id: 'I11',
    says: 'the next grant of a group has a higher fence than all earlier ones, even if the group was removed in between',
    finds: `SELECT t.run_id, t.group_key, t.ticket AS place FROM locks_tickets t
      LEFT JOIN locks_groups g ON g.project_id = t.project_id AND g.group_key = t.group_key
      LEFT JOIN locks_floors f ON f.project_id = t.project_id
      WHERE t.fence > COALESCE(g.fence, f.fence, 0) OR t.ticket > COALESCE(g.last_ticket, f.last_ticket, 0)`,
  },
  {
    id: 'I11',
    says: 'a group with a holder or a waiter has a row',
    finds: `SELECT t.run_id, t.group_key, t.ticket AS place FROM locks_tickets t
      WHERE t.state IN ('waiting', 'held', 'shared') AND NOT EXISTS (SELECT 1 FROM locks_groups g
        WHERE g.project_id = t.project_id AND g.group_key = t.group_key)`,
  },
  {
    id: 'I11',
    says: 'no waiting ticket was skipped in favor of a later one',
    finds: `SELECT t.run_id, t.group_key, t.ticket AS place FROM locks_tickets t
      WHERE t.state = 'waiting' AND ${NOT_REPLACED} AND EXISTS (SELECT 1 FROM locks_tickets u
        WHERE u.project_id = t.project_id AND u.group_key = t.group_key AND u.ticket > t.ticket
        AND ${position('u')} >= ${position('t')} AND u.fence IS NOT NULL AND u.joined IS NULL)`,
  },
  {
    id: 'I11',
    says: 'a group without a holder has no waiters, unless its throttle keeps them until a time',
    finds: `SELECT t.run_id, t.group_key, t.ticket AS place FROM locks_tickets t
      WHERE t.state IN ('waiting', 'shared') AND ${NOT_REPLACED} AND NOT EXISTS ${THROTTLED} AND NOT EXISTS (SELECT 1 FROM locks_tickets h
        WHERE h.project_id = t.project_id AND h.group_key = t.group_key AND h.state = 'held')`,
  },
  {
    id: 'I11',
    says: 'no ticket waits that fits beside the holders, unless another one waits before it or a throttle keeps it',
    finds: `SELECT t.run_id, t.group_key, t.ticket AS place FROM locks_tickets t
      WHERE t.state = 'waiting' AND ${NOT_REPLACED} AND NOT EXISTS ${THROTTLED}
      AND NOT EXISTS (SELECT 1 FROM locks_tickets b WHERE b.project_id = t.project_id AND b.group_key = t.group_key
        AND b.state = 'waiting' AND (${position('b')} < ${position('t')} OR (${position('b')} = ${position('t')} AND b.ticket < t.ticket)))
      AND COALESCE(t.max_holders, 1) > (SELECT COUNT(*) FROM locks_tickets h WHERE h.project_id = t.project_id
        AND h.group_key = t.group_key AND h.state = 'held')
      AND EXISTS (SELECT 1 FROM locks_tickets h WHERE h.project_id = t.project_id AND h.group_key = t.group_key
        AND h.state = 'held' GROUP BY h.group_key HAVING COUNT(*) < MIN(COALESCE(h.max_holders, 1)))`,
  },
  {
    id: 'I11',
    says: 'a group with a limit, a priority or a throttle in its tickets is marked',
    finds: `SELECT t.run_id, t.group_key, t.ticket AS place FROM locks_tickets t
      JOIN locks_groups g ON g.project_id = t.project_id AND g.group_key = t.group_key
      WHERE t.state IN ('waiting', 'held', 'shared') AND ((t.max_holders IS NOT NULL AND g.limited IS NULL)
      OR (t.queue_position IS NOT NULL AND g.prioritized IS NULL)
      OR (t.throttle_limit IS NOT NULL AND g.throttled IS NULL))`,
  },
  {
    id: 'I11',
    says: 'only the run that has the lease shares it',
    finds: `SELECT t.run_id, t.group_key, t.ticket AS place FROM locks_tickets t
      WHERE t.state = 'shared' AND NOT EXISTS (SELECT 1 FROM locks_tickets h
        WHERE h.project_id = t.project_id AND h.group_key = t.group_key AND h.state = 'held' AND h.run_id = t.run_id)`,
  },
  {
    id: 'I11',
    says: 'a run that has ended has no open ticket',
    finds: `SELECT t.run_id, t.group_key, t.ticket AS place FROM locks_tickets t
      JOIN runs_runs r ON r.run_id = t.run_id
      WHERE t.state IN ('waiting', 'held', 'shared') AND r.status IN ${TERMINAL}`,
  },
  {
    id: 'I11',
    says: 'a script that waits for a lease has a ticket in its queue',
    finds: `SELECT w.run_id, w.name AS group_key, w.position AS place FROM runs_waits w
      WHERE w.state = 'armed' AND w.kind = 'lock' AND NOT EXISTS (SELECT 1 FROM locks_tickets t
        WHERE t.run_id = w.run_id AND t.owner_kind IN ('lock', 'lock-step')
        AND t.owner_id = CONCAT(w.activity_id, '/', w.position)
        AND (t.state = 'waiting' OR (t.state IN ('held', 'shared') AND t.to_tell IS NOT NULL)))`,
  },
  {
    id: 'I11',
    says: 'no more owners with a throttle were granted a group in any period than the throttle allows',
    finds: `SELECT t.run_id, t.group_key, t.ticket AS place FROM locks_tickets t
      WHERE t.throttle_limit IS NOT NULL AND t.granted_at IS NOT NULL AND t.joined IS NULL AND t.throttle_limit < (
        SELECT COUNT(*) FROM locks_tickets u WHERE u.project_id = t.project_id AND u.group_key = t.group_key
          AND u.throttle_limit IS NOT NULL AND u.joined IS NULL AND u.fence <= t.fence
          AND u.granted_at > t.granted_at - t.throttle_ms)`,
  },
];

/** Checked only after injected failures have stopped and every owner had time to be notified. */
const TOLD: Invariant = {
  id: 'I11',
  says: 'every owner with a granted lease was notified',
  finds: `SELECT run_id, group_key, ticket AS place FROM locks_tickets WHERE to_tell < ?`,
};

/** Checked under the same condition. */
const CANCELLED: Invariant = {
  id: 'I11',
  says: 'a run that was replaced in its group was cancelled',
  finds: `SELECT t.run_id, t.group_key, t.ticket AS place FROM locks_tickets t
    WHERE (t.state = 'waiting' AND EXISTS ${REPLACED}) OR (t.state IN ('held', 'shared') AND EXISTS ${HOLDER_REPLACED})`,
};

/**
 * Returns violations of I11. Can run while the service is running. With `settled_ms`, the time since the last injected
 * failure, it also checks that every owner was notified and every replaced run was cancelled.
 */
export async function checkLockInvariants(
  database: Pick<Database, 'read' | 'now'>,
  { settled_ms }: { settled_ms?: number } = {},
): Promise<string[]> {
  const broken = await findBroken(database, INVARIANTS);
  if (settled_ms === undefined) return broken;
  const told = await findBroken(database, [TOLD], [database.now() - settled_ms - 1000]);
  return [...broken, ...told, ...(await findBroken(database, [CANCELLED]))];
}
