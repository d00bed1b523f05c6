import {
  chunks,
  type Database,
  distinct,
  eachOf,
  formatDuration,
  inList,
  insertRows,
  retryUnknownCommit,
  type Transaction,
} from '../../../../../kernel/contracts/index.ts';
import type { Run, CancelRun, RunStatus } from '../../contract.ts';
import { deadlineExceeded, runFinished } from '../../errors.ts';
import { cancelOpen, lockOpenActivities } from '../rows/activity-ends.ts';
import type { StoreContext } from '../rows/context.ts';
import {
  LOCKED_COLUMNS,
  type LockedRun,
  type Submission,
  isTerminal,
  lockRunOf,
  lockRuns,
  writeExactly,
} from '../rows/runs.ts';
import { announceTransitions, endRun, endRuns } from './end-run.ts';
import { notifyWaitKinds, type EndedWait } from '../rows/waits.ts';
import { tail } from '../../domain/tail.ts';
import { readRun } from '../read/reading.ts';
import { MAX_TEXT_POINTS } from './complete.ts';

/** Every open status → cancelled. A second cancel answers the first. Throws `run_finished` when it ended otherwise. */
export async function cancelRun(store: StoreContext, cancel: CancelRun): Promise<Run> {
  await store.sealer.prepare(cancel.org_id);
  await retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRunOf(tx, cancel);
      if (run.status === 'cancelled') return;
      if (isTerminal(run)) throw runFinished(`run ${run.run_id} has ended (${run.status}) and cannot be cancelled`);
      const reason = tail(cancel.reason, MAX_TEXT_POINTS);
      const why = reason === '' ? 'the run was cancelled' : `the run was cancelled: ${tail(reason)}`;
      const waits = await cancelOpen(tx, store, { run_id: run.run_id, reason: why });
      await endRun(tx, store, run, { status: 'cancelled', reason }, undefined);
      if (cancel.cancelled_by) await recordCanceller(tx, run, cancel.cancelled_by);
      // After the end was announced, because an announcement takes its locks first.
      await notifyWaitKinds(tx, store, waits);
      const { by, org_id, project_id } = cancel;
      if (by) await store.audit.record(tx, { ...by, org_id, project_id, action: 'run.cancel', subject: run.run_id });
      tx.afterCommit(() => store.wakeups.run(run.run_id, { project_id, part: 'run', over: true }));
    }),
  );
  return readRun(store.database, store.sealer, cancel, cancel.run_id);
}

/** A run that is cancelled because its caller does not wait for it any more. */
export interface AbandonedRun {
  run_id: string;
  reason: string;
}

/**
 * Cancels up to 128 runs of a project in one transaction, which `then` continues. Leaves out runs that have ended or do not
 * exist. The org's keys must be ready.
 */
export async function cancelRuns(
  store: StoreContext,
  runs: readonly AbandonedRun[],
  then: (tx: Transaction) => Promise<void>,
): Promise<void> {
  await retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const ids = runs.map(({ run_id }) => run_id);
      const open = [...(await lockRuns(tx, ids)).values()].filter((run) => !isTerminal(run));
      await lockOpenActivities(
        tx,
        open.map(({ run_id }) => run_id),
      );
      const reasons = new Map(runs.map(({ run_id, reason }) => [run_id, tail(reason, MAX_TEXT_POINTS)]));
      const waits: EndedWait[] = [];
      for (const { run_id } of open) {
        const reason = `the run was cancelled: ${tail(reasons.get(run_id)!)}`;
        waits.push(...(await cancelOpen(tx, store, { run_id, reason })));
      }
      const endings = open.map((run) => {
        const ending = { status: 'cancelled' as const, reason: reasons.get(run.run_id)! };
        return { run, ending, masker: undefined };
      });
      await announceTransitions(tx, store, await endRuns(tx, store, endings));
      // After the ends were announced, because an announcement takes its locks first.
      await notifyWaitKinds(tx, store, waits);
      await then(tx);
      tx.afterCommit(() => {
        for (const { run_id, project_id } of open) store.wakeups.run(run_id, { project_id, part: 'run', over: true });
      });
    }),
  );
}

/** The event that cancelled the run, for its record. */
async function recordCanceller(
  tx: Transaction,
  run: LockedRun,
  by: NonNullable<CancelRun['cancelled_by']>,
): Promise<void> {
  await writeExactly(tx, 1, 'UPDATE runs_runs SET cancelled_by = ? WHERE run_id = ?', [JSON.stringify(by), run.run_id]);
}

const DEADLINE_COLUMNS = ['run_id', 'org_id', 'project_id', 'deadline'];

/** Stores when new runs with a timeout end. The time counts from now, whatever the runs wait for. */
export async function insertDeadlines(
  tx: Transaction,
  store: Pick<StoreContext, 'wakeups'>,
  created: readonly Submission[],
  now: number,
): Promise<void> {
  const rows = created.flatMap(({ run }) =>
    run.timeout_ms === undefined ? [] : [[run.run_id, run.org_id, run.project_id, now + run.timeout_ms]],
  );
  if (rows.length === 0) return;
  await insertRows(tx, 'INSERT INTO runs_deadlines', DEADLINE_COLUMNS, rows);
  tx.afterCommit(() => {
    for (const [, , , deadline] of rows) store.wakeups.timer(deadline as number);
  });
}

interface OverdueRun {
  run_id: string;
  org_id: string;
  project_id: string;
  /** Null: it was pruned. */
  status: RunStatus | null;
}

/**
 * Fails runs whose deadline has passed by the database's clock. Answers how many deadlines it has removed, and the next one. An
 * error that ends one run must not keep the others from ending: it is thrown after them.
 */
export async function endOverdue(store: StoreContext, limit: number): Promise<{ ended: number; next: number | null }> {
  const due = await findOverdue(store.database, Math.max(1, Math.trunc(limit)));
  // Nearly all runs end in time, and their deadlines are removed together.
  const isOver = ({ status }: OverdueRun) => status === null || isTerminal({ status });
  await deleteDeadlines(store, due.filter(isOver));
  const open = due.filter((run) => !isOver(run));
  const { failure } = await eachOf(open, (run) => endOverdueRun(store, run));
  if (failure !== undefined) throw failure;
  const [next] = await store.database.read<{ deadline: number }>(
    'SELECT deadline FROM runs_deadlines ORDER BY deadline LIMIT 1',
  );
  return { ended: due.length, next: next?.deadline ?? null };
}

const OVERDUE = 'runs_deadlines_overdue';

/**
 * Finds runs whose deadline has passed: up to `most`, the oldest first. If there are more, the result begins with some of other
 * orgs and of other projects, which would otherwise wait behind all that are due in one of them.
 */
export async function findOverdue(on: Pick<Database, 'read' | 'sql' | 'now'>, most: number): Promise<OverdueRun[]> {
  const from = `runs_deadlines d ${on.sql.family === 'mysql' ? `FORCE INDEX (${OVERDUE})` : `INDEXED BY ${OVERDUE}`}`;
  const now = on.now();
  const read = (limit: number, condition = '', params: readonly string[] = []) =>
    on.read<OverdueRun>(
      `SELECT d.run_id, d.org_id, d.project_id, r.status FROM ${from} LEFT JOIN runs_runs r ON r.run_id = d.run_id
       WHERE d.deadline <= ? ${condition} ORDER BY d.deadline LIMIT ${Math.trunc(limit)}`,
      [now, ...params],
    );
  const oldest = await read(most);
  if (oldest.length < most) return oldest;
  const runs = new Map<string, OverdueRun>();
  for (const column of ['org_id', 'project_id'] as const) {
    const list = inList(distinct(oldest, (run) => run[column]));
    const others = await read(Math.ceil(most / 4), `AND d.${column} NOT IN ${list.placeholders}`, list.params);
    for (const run of others) runs.set(run.run_id, run);
  }
  for (const run of oldest) runs.set(run.run_id, run);
  return [...runs.values()].slice(0, most);
}

async function deleteDeadlines(store: StoreContext, runs: readonly OverdueRun[]): Promise<void> {
  for (const ids of chunks(runs.map(({ run_id }) => run_id))) {
    const list = inList(ids);
    await retryUnknownCommit(() =>
      store.database.transaction((tx) =>
        tx.write(`DELETE FROM runs_deadlines WHERE run_id IN ${list.placeholders}`, list.params),
      ),
    );
  }
}

/** Fails one run as a cancel would end it. A run that has ended or was pruned only loses its deadline. */
async function endOverdueRun(store: StoreContext, { run_id, org_id, project_id }: OverdueRun): Promise<void> {
  await store.sealer.prepare(org_id);
  await retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const runs = await lockRuns<RunWithTimeout>(tx, [run_id], { columns: `${LOCKED_COLUMNS}, timeout_ms` });
      const run = runs.get(run_id);
      await tx.write('DELETE FROM runs_deadlines WHERE run_id = ?', [run_id]);
      if (run === undefined || isTerminal(run)) return;
      const message = timeoutMessage(run);
      const waits = await cancelOpen(tx, store, { run_id, reason: message });
      await endRun(tx, store, run, { status: 'failed', code: deadlineExceeded.code, message }, undefined);
      // After the end was announced, because an announcement takes its locks first.
      await notifyWaitKinds(tx, store, waits);
      tx.afterCommit(() => store.wakeups.run(run_id, { project_id, part: 'run', over: true }));
    }),
  );
}

type RunWithTimeout = LockedRun & { timeout_ms: number | null };

const timeoutMessage = ({ timeout_ms }: RunWithTimeout): string =>
  `the run took longer than its timeout of ${formatDuration(timeout_ms ?? 0)}. ${deadlineExceeded.next}`;
