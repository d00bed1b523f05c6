import { inList, type Transaction } from '../../../kernel/contracts/index.ts';
import { announce } from './announce.ts';
import type { StoreParts } from './parts.ts';
import type { LockedRun } from './run-columns.ts';
import { mustChange, RUN } from './run-rows.ts';

/** queued → running, announced in the same transaction; does nothing for runs that have started. */
export async function startRuns(
  tx: Transaction,
  store: StoreParts,
  runs: readonly LockedRun[],
  now: number,
): Promise<void> {
  const started = await markStarted(tx, runs, now);
  await announce(
    tx,
    store,
    started.map((run) => ({ run })),
    now,
  );
}

/** queued → running, for the caller to announce. Answers the runs that had not started. */
export async function markStarted(tx: Transaction, runs: readonly LockedRun[], now: number): Promise<LockedRun[]> {
  const queued = runs.filter(({ status }) => status === 'queued');
  if (queued.length === 0) return [];
  const list = inList(queued.map(({ run_id }) => run_id));
  await mustChange(
    tx,
    queued.length,
    `UPDATE runs_runs SET status = 'running', started_at = ? WHERE status = 'queued' AND run_id IN ${list.marks}`,
    [now, ...list.params],
  );
  tx.settled(
    RUN.table,
    queued.map(({ run_id }) => [run_id]),
  );
  for (const run of queued) run.status = 'running';
  return queued;
}
