import type { Database } from '../../kernel/contracts/index.ts';
import { findBroken, type Invariant } from './invariants.ts';

/** Of an activity `a`: agents can claim it. */
const CLAIMABLE = `AND a.executor <> 'none'`;
const TERMINAL = `('succeeded', 'failed', 'cancelled')`;
const OPEN = `('pending', 'claimed', 'parked')`;
/** A transaction may be a moment behind the clock that this is asked with. */
const GRACE_MS = 1000;

const INVARIANTS: readonly Invariant[] = [
  {
    id: 'I1',
    says: 'one record a position and a site',
    finds: `SELECT run_id, activity_id, MIN(position) AS place FROM runs_journal
      GROUP BY run_id, activity_id, site, ordinal HAVING COUNT(*) > 1`,
  },
  {
    id: 'I1',
    says: 'every record belongs to an activity of its run, or to a job that a rerun has yet to begin',
    finds: `SELECT j.run_id, j.activity_id, j.position AS place FROM runs_journal j
      LEFT JOIN runs_activities a ON a.activity_id = j.activity_id WHERE a.run_id <> j.run_id OR (a.run_id IS NULL
        AND NOT EXISTS (SELECT 1 FROM runs_runs r WHERE r.run_id = j.run_id AND r.rerun_of IS NOT NULL))`,
  },
  {
    id: 'I1',
    says: 'attempts of a call are counted from 1 without a gap, and are those of one call',
    finds: `SELECT run_id, activity_id, position AS place FROM runs_attempts GROUP BY run_id, activity_id, position
      HAVING MIN(attempt) <> 1 OR MAX(attempt) <> COUNT(*) OR MIN(kind) <> MAX(kind) OR MIN(ordinal) <> MAX(ordinal)`,
  },
  {
    id: 'I2',
    says: 'no record, wait or log comes from a claim that was never given',
    finds: `SELECT j.run_id, j.activity_id, j.position AS place FROM runs_journal j
      JOIN runs_activities a ON a.activity_id = j.activity_id WHERE j.epoch > a.epoch OR (j.epoch < 1 ${CLAIMABLE})
      UNION ALL SELECT w.run_id, w.activity_id, w.position FROM runs_waits w
      JOIN runs_activities a ON a.activity_id = w.activity_id WHERE w.epoch > a.epoch
      OR (w.epoch < 1 AND w.kind <> 'run-concurrency' ${CLAIMABLE})
      UNION ALL SELECT l.run_id, l.activity_id, l.seq FROM runs_logs l
      JOIN runs_activities a ON a.activity_id = l.activity_id WHERE l.epoch > a.epoch OR l.epoch < 1`,
  },
  {
    id: 'I2',
    says: 'later positions come from the same or a later claim',
    finds: `SELECT j.run_id, j.activity_id, j.position AS place FROM runs_journal j
      JOIN runs_journal k ON k.run_id = j.run_id AND k.activity_id = j.activity_id AND k.position = j.position + 1
      WHERE k.epoch < j.epoch`,
  },
  {
    id: 'I2',
    says: 'a claimed activity has a holder and a deadline, any other has none',
    finds: `SELECT run_id, activity_id, epoch AS place FROM runs_activities
      WHERE (state = 'claimed' AND (agent_id IS NULL OR deadline IS NULL))
      OR (state <> 'claimed' AND (agent_id IS NOT NULL OR deadline IS NOT NULL))`,
  },
  {
    id: 'I3',
    says: 'what has a record was executed: its activity was claimed at least once, and as often as its epoch says',
    finds: `SELECT a.run_id, a.activity_id, a.epoch AS place FROM runs_activities a WHERE a.epoch <> a.passes
      OR (a.epoch = 0 ${CLAIMABLE} AND EXISTS (SELECT 1 FROM runs_journal j
        WHERE j.run_id = a.run_id AND j.activity_id = a.activity_id))`,
  },
  {
    id: 'I3',
    says: 'what only waits was never claimed, and has one wait or record',
    finds: `SELECT a.run_id, a.activity_id, a.epoch AS place FROM runs_activities a WHERE a.executor = 'none'
      AND (a.epoch <> 0 OR a.state IN ('pending', 'claimed') OR (a.state IN ('done', 'failed') AND NOT EXISTS
        (SELECT 1 FROM runs_journal j WHERE j.run_id = a.run_id AND j.activity_id = a.activity_id AND j.position = 0)))`,
  },
  {
    id: 'I4',
    says: 'a journal has no gap',
    finds: `SELECT run_id, activity_id, MAX(position) AS place FROM runs_journal
      GROUP BY run_id, activity_id HAVING MIN(position) <> 0 OR MAX(position) <> COUNT(*) - 1`,
  },
  {
    id: 'I4',
    says: 'ordinals of a site count from 0 in the order of positions',
    finds: `SELECT run_id, activity_id, MIN(position) AS place FROM runs_journal
      GROUP BY run_id, activity_id, site HAVING MIN(ordinal) <> 0 OR MAX(ordinal) <> COUNT(*) - 1`,
  },
  {
    id: 'I5',
    says: 'one run a key',
    finds: `SELECT MIN(run_id) AS run_id, '' AS activity_id, COUNT(*) AS place FROM runs_runs
      WHERE key_digest IS NOT NULL GROUP BY project_id, key_digest HAVING COUNT(*) > 1`,
  },
  {
    id: 'I9',
    says: 'a wait that ended has exactly its record, one that is armed or was cancelled has none',
    finds: `SELECT w.run_id, w.activity_id, w.position AS place FROM runs_waits w
      LEFT JOIN runs_journal j ON j.run_id = w.run_id AND j.activity_id = w.activity_id AND j.position = w.position
      WHERE (w.state IN ('resolved', 'expired') AND (j.position IS NULL OR j.kind <> w.kind OR j.ordinal <> w.ordinal))
      OR (w.state IN ('armed', 'cancelled') AND j.position IS NOT NULL)`,
  },
  {
    id: 'I9',
    says: 'a parked activity has one armed wait, and an armed wait a parked activity',
    finds: `SELECT a.run_id, a.activity_id, COUNT(w.position) AS place FROM runs_activities a
      LEFT JOIN runs_waits w ON w.run_id = a.run_id AND w.activity_id = a.activity_id AND w.state = 'armed'
      GROUP BY a.run_id, a.activity_id, a.state
      HAVING (a.state = 'parked' AND COUNT(w.position) <> 1) OR (a.state <> 'parked' AND COUNT(w.position) > 0)`,
  },
  {
    id: 'I10',
    says: 'a signal is queued and untaken, or taken by a record of one wait',
    finds: `SELECT s.run_id, s.taken_activity AS activity_id, s.seq AS place FROM runs_signals s
      LEFT JOIN runs_journal j ON j.run_id = s.run_id AND j.activity_id = s.taken_activity
        AND j.position = s.taken_position
      WHERE (s.state = 'queued' AND (s.taken_activity IS NOT NULL OR s.taken_at IS NOT NULL))
      OR (s.state = 'taken' AND (j.position IS NULL OR j.exit_code <> 0)) OR s.state NOT IN ('queued', 'taken')`,
  },
  {
    id: 'I10',
    says: 'signals of one name are taken in the order in which they were sent',
    finds: `SELECT s.run_id, s.name AS activity_id, s.seq AS place FROM runs_signals s
      WHERE s.state = 'taken' AND EXISTS (SELECT 1 FROM runs_signals q
        WHERE q.run_id = s.run_id AND q.topic = s.topic AND q.state = 'queued' AND q.seq < s.seq)`,
  },
  {
    id: 'I10',
    says: 'no signal is queued beside a wait for it',
    finds: `SELECT w.run_id, w.activity_id, w.position AS place FROM runs_waits w
      WHERE w.state = 'armed' AND w.topic <> '' AND EXISTS (SELECT 1 FROM runs_signals s
        WHERE s.run_id = w.run_id AND s.topic = w.topic AND s.state = 'queued')`,
  },
  {
    id: 'I13',
    says: 'a run that has ended has the time of its end, and an open one has none',
    finds: `SELECT run_id, '' AS activity_id, 0 AS place FROM runs_runs
      WHERE (status IN ${TERMINAL} AND finished_at IS NULL) OR (status NOT IN ${TERMINAL} AND finished_at IS NOT NULL)`,
  },
  {
    id: 'I13',
    says: 'an ended run has nothing open, an open run that nobody coordinates has something',
    finds: `SELECT r.run_id, '' AS activity_id, COUNT(a.activity_id) AS place FROM runs_runs r
      LEFT JOIN runs_activities a ON a.run_id = r.run_id AND a.state IN ${OPEN}
      GROUP BY r.run_id, r.status, r.coordinator
      HAVING (r.status IN ${TERMINAL} AND COUNT(a.activity_id) > 0)
      OR (r.status NOT IN ${TERMINAL} AND r.coordinator IS NULL AND COUNT(a.activity_id) = 0)`,
  },
  {
    id: 'I13',
    says: 'the status of a started run follows from its own activities',
    finds: `SELECT r.run_id, '' AS activity_id, COUNT(a.activity_id) AS place FROM runs_runs r
      LEFT JOIN runs_activities a ON a.run_id = r.run_id AND a.state IN ('pending', 'claimed') AND a.parent IS NULL
      LEFT JOIN runs_activities p ON p.run_id = r.run_id AND p.state = 'parked' AND p.parent IS NULL
      WHERE r.status IN ('running', 'waiting') GROUP BY r.run_id, r.status
      HAVING (r.status = 'running' AND COUNT(a.activity_id) = 0 AND COUNT(p.activity_id) > 0)
      OR (r.status = 'waiting' AND (COUNT(a.activity_id) > 0 OR COUNT(p.activity_id) = 0))`,
  },
  {
    id: 'I13',
    says: 'a child belongs to the run of its parent, and no open one to a parent that failed, was cancelled or has yet to begin',
    finds: `SELECT c.run_id, c.activity_id, 0 AS place FROM runs_activities c
      LEFT JOIN runs_activities p ON p.activity_id = c.parent
      WHERE c.parent IS NOT NULL AND (p.run_id <> c.run_id
        OR (p.run_id IS NULL AND (c.state IN ${OPEN} OR NOT EXISTS
          (SELECT 1 FROM runs_runs r WHERE r.run_id = c.run_id AND r.rerun_of IS NOT NULL)))
        OR (c.state IN ${OPEN} AND p.state IN ('failed', 'cancelled')))`,
  },
  {
    id: 'bounds',
    says: 'an untrusted run is counted exactly while it is open',
    finds: `SELECT r.run_id, '' AS activity_id, 0 AS place FROM runs_runs r
      LEFT JOIN runs_untrusted u ON u.run_id = r.run_id
      WHERE (r.trusted = 0 AND r.status NOT IN ${TERMINAL} AND u.run_id IS NULL)
      OR (u.run_id IS NOT NULL AND (r.trusted = 1 OR r.status IN ${TERMINAL}))
      UNION ALL SELECT u.run_id, '', 1 FROM runs_untrusted u
      LEFT JOIN runs_runs r ON r.run_id = u.run_id WHERE r.run_id IS NULL`,
  },
  {
    id: 'bounds',
    says: 'what logs have taken of a project is what their heads say',
    finds: `SELECT u.project_id AS run_id, '' AS activity_id, u.bytes AS place FROM runs_log_usage u
      LEFT JOIN runs_log_heads h ON h.project_id = u.project_id AND h.untrusted = u.untrusted
      GROUP BY u.project_id, u.untrusted, u.bytes HAVING u.bytes <> COALESCE(SUM(h.granted), 0)`,
  },
  {
    id: 'bounds',
    says: 'what calls have taken of a project is what was taken for its runs',
    finds: `SELECT u.project_id AS run_id, '' AS activity_id, u.bytes AS place FROM runs_call_usage u
      LEFT JOIN runs_call_grants g ON g.project_id = u.project_id
      GROUP BY u.project_id, u.bytes HAVING u.bytes <> COALESCE(SUM(g.bytes), 0)
      UNION ALL SELECT g.run_id, '', g.bytes FROM runs_call_grants g
      LEFT JOIN runs_call_usage u ON u.project_id = g.project_id WHERE u.project_id IS NULL`,
  },
  {
    id: 'bounds',
    says: 'an open untrusted run has taken what its calls have; those that older versions made had 64 KiB free',
    finds: `SELECT u.run_id, '' AS activity_id, u.bytes AS place FROM runs_untrusted u
      LEFT JOIN runs_call_grants g ON g.run_id = u.run_id
      WHERE u.granted - COALESCE(g.bytes, 0) NOT IN (0, 65536) OR u.bytes > u.granted`,
  },
  {
    id: 'I16',
    says: 'no run is trusted more than its parent',
    finds: `SELECT r.run_id, p.run_id AS activity_id, 0 AS place FROM runs_runs r
      JOIN runs_runs p ON p.run_id = r.parent WHERE r.trusted > p.trusted`,
  },
  {
    id: 'I18',
    says: 'a run that is over calls no further run',
    finds: `SELECT c.run_id, c.called_id, c.position AS place FROM runs_calls c JOIN runs_runs p ON p.run_id = c.run_id
      JOIN runs_runs r ON r.run_id = c.called_id WHERE r.created_at > p.finished_at + ${GRACE_MS}`,
  },
  {
    id: 'I18',
    says: 'a called run is counted at the run at the top of its chain of calls',
    finds: `SELECT c.run_id, c.called_id, c.root_id AS place FROM runs_calls c
      LEFT JOIN runs_calls p ON p.called_id = c.run_id WHERE c.root_id <> COALESCE(p.root_id, c.run_id)
      AND (p.called_id IS NULL OR p.root_id IS NOT NULL)`,
  },
];

/** Only true once the faults have stopped and the time that the sweeper may take has passed. */
const SETTLED: readonly Invariant[] = [
  {
    id: 'I17',
    says: 'no claim is long past its deadline',
    finds: `SELECT run_id, activity_id, deadline AS place FROM runs_activities WHERE state = 'claimed' AND deadline < ?`,
  },
  {
    id: 'I17',
    says: 'no call is long past the end of the run that it waits for',
    finds: `SELECT c.run_id, c.activity_id, c.position AS place FROM runs_calls c
      JOIN runs_runs r ON r.run_id = c.called_id WHERE c.state IN ('open', 'ended') AND r.finished_at < ?`,
  },
  {
    id: 'I17',
    says: 'no called run is open long after the run that called it',
    finds: `SELECT c.run_id, c.called_id, c.position AS place FROM runs_calls c JOIN runs_runs p ON p.run_id = c.run_id
      JOIN runs_runs r ON r.run_id = c.called_id WHERE r.status NOT IN ${TERMINAL} AND p.finished_at < ?`,
  },
  {
    id: 'I17',
    says: 'no wait is long past its deadline',
    finds: `SELECT run_id, activity_id, position AS place FROM runs_waits WHERE state = 'armed' AND deadline < ?`,
  },
];

/**
 * Checks reliability.md's invariants of the engine as statements; answers what breaks them, empty when all hold.
 * Safe beside a running engine, each statement being one snapshot. With `settled_ms`, the span after which nothing may
 * be overdue once faults have stopped (2 × lease + backoff), I17 is checked too.
 */
export async function checkRuns(
  database: Pick<Database, 'read' | 'now'>,
  { settled_ms }: { settled_ms?: number } = {},
): Promise<string[]> {
  const broken = await findBroken(database, INVARIANTS);
  if (settled_ms === undefined) return broken;
  return [...broken, ...(await findBroken(database, SETTLED, [database.now() - settled_ms - GRACE_MS]))];
}
