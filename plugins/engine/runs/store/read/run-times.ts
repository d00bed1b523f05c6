import { inList, type Queries } from '../../../../../kernel/contracts/index.ts';
import type { FailedAttempts, RunTimes, TimedCall, TimedRun, TimedWait } from '../../contract.ts';
import { RETRY_WAIT } from '../../domain/retry-kind.ts';
import { sleepKind } from '../../domain/sleep-kind.ts';

type On = Pick<Queries, 'read'>;

type CallRow = Omit<TimedCall, 'succeeded'> & { exit_code: number | null };

const NO_WAITS = `'${sleepKind.kind}', '${RETRY_WAIT}'`;

/** Reads when the parts of at most 128 runs began and ended; see `RunTimesReader`. */
export async function readRunTimes(on: On, run_ids: readonly string[], limit: number): Promise<RunTimes> {
  if (run_ids.length === 0) return { runs: [], calls: [], waits: [], failures: [], truncated: false };
  const { placeholders, params } = inList(run_ids);
  const most = Math.trunc(limit);
  const within = `IN ${placeholders}`;
  const runs = await on.read<TimedRun>(
    `SELECT run_id, workflow, status, created_at, started_at, finished_at FROM runs_runs WHERE run_id ${within}`,
    params,
  );
  // For NOT EXISTS, MySQL would read the waits of all runs of the database.
  const calls = await on.read<CallRow>(
    `SELECT j.run_id, j.activity_id, j.position, j.kind, j.name, j.exit_code, j.started_at, j.recorded_at AS ended_at
     FROM runs_journal j LEFT JOIN runs_waits w
       ON w.run_id = j.run_id AND w.activity_id = j.activity_id AND w.position = j.position
     WHERE j.run_id ${within} AND w.run_id IS NULL LIMIT ${most}`,
    params,
  );
  // An activity of a script that nobody coordinates lasts as long as its run.
  const activities = await on.read<CallRow>(
    `SELECT a.run_id, a.activity_id, -1 AS position, 'activity' AS kind, a.name,
       CASE WHEN a.state = 'done' THEN COALESCE(a.exit_code, 0) ELSE 1 END AS exit_code, a.created_at AS started_at, a.finished_at AS ended_at
     FROM runs_activities a JOIN runs_runs r ON r.run_id = a.run_id
       LEFT JOIN runs_waits w ON w.run_id = a.run_id AND w.activity_id = a.activity_id
     WHERE a.run_id ${within} AND r.coordinator IS NOT NULL AND a.finished_at IS NOT NULL AND w.run_id IS NULL
     LIMIT ${most}`,
    params,
  );
  const waits = await on.read<TimedWait>(
    `SELECT run_id, substate AS kind, name, armed_at, ended_at FROM runs_waits
     WHERE run_id ${within} AND kind NOT IN (${NO_WAITS}) LIMIT ${most}`,
    params,
  );
  // A call has one kind and one name. Grouped by the key alone, the rows are read in its order, and no further than the limit.
  const failures = await on.read<FailedAttempts>(
    `SELECT run_id, activity_id, position, MIN(kind) AS kind, MIN(name) AS name, COUNT(*) AS attempts,
       SUM(ended_at - started_at) AS lost_ms
     FROM runs_attempts WHERE run_id ${within} GROUP BY run_id, activity_id, position LIMIT ${most}`,
    params,
  );
  return {
    runs,
    calls: [...calls, ...activities].map(({ exit_code, ...call }) => ({ ...call, succeeded: exit_code === 0 })),
    waits,
    failures: failures.map((row) => ({ ...row, attempts: Number(row.attempts), lost_ms: Number(row.lost_ms) })),
    truncated: [calls, activities, waits, failures].some(({ length }) => length >= most),
  };
}
