import {
  chunks,
  eachOf,
  formatDuration,
  inList,
  insertRows,
  retryUnknownCommit,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { RunStatus } from '../contract.ts';
import { deadlineExceeded } from '../errors.ts';
import { cancelOpen } from './cancel-open.ts';
import type { StoreParts } from './parts.ts';
import { LOCKED_COLUMNS, type LockedRun, type Submission } from './run-columns.ts';
import { finishRun } from './run-end.ts';
import { isTerminal, lockRuns } from './run-rows.ts';
import { tellKinds } from './tell-kinds.ts';

const COLUMNS = ['run_id', 'org_id', 'project_id', 'deadline'];

/** For new runs that end by themselves after a time. It counts from now on, whatever they wait for. */
export async function insertDeadlines(
  tx: Transaction,
  store: Pick<StoreParts, 'wakeups'>,
  made: readonly Submission[],
  now: number,
): Promise<void> {
  const rows = made.flatMap(({ run }) =>
    run.timeout_ms === undefined ? [] : [[run.run_id, run.org_id, run.project_id, now + run.timeout_ms]],
  );
  if (rows.length === 0) return;
  await insertRows(tx, 'INSERT INTO runs_deadlines', COLUMNS, rows);
  tx.afterCommit(() => {
    for (const [, , , deadline] of rows) store.wakeups.timer(deadline as number);
  });
}

interface Overdue {
  run_id: string;
  org_id: string;
  project_id: string;
  /** Null: it was pruned. */
  status: RunStatus | null;
}

/**
 * Runs whose time is over by the database's clock → failed. Answers how many deadlines are gone, and the next one. A run that
 * cannot be ended must not keep all others from their ends: its fault is thrown when they are done.
 */
export async function endOverdue(store: StoreParts, limit: number): Promise<{ ended: number; next: number | null }> {
  const due = await store.database.read<Overdue>(
    `SELECT d.run_id, d.org_id, d.project_id, r.status FROM runs_deadlines d LEFT JOIN runs_runs r ON r.run_id = d.run_id
     WHERE d.deadline <= ? ORDER BY d.deadline LIMIT ${Math.max(1, Math.trunc(limit))}`,
    [store.database.now()],
  );
  // Nearly all runs end in time, and an end is final: their deadlines go together.
  const isOver = ({ status }: Overdue) => status === null || isTerminal({ status });
  await forget(store, due.filter(isOver));
  const open = due.filter((run) => !isOver(run));
  const { failure } = await eachOf(open, (run) => endOne(store, run));
  if (failure !== undefined) throw failure;
  const [next] = await store.database.read<{ deadline: number }>(
    'SELECT deadline FROM runs_deadlines ORDER BY deadline LIMIT 1',
  );
  return { ended: due.length, next: next?.deadline ?? null };
}

async function forget(store: StoreParts, runs: readonly Overdue[]): Promise<void> {
  for (const ids of chunks(runs.map(({ run_id }) => run_id))) {
    const list = inList(ids);
    await retryUnknownCommit(() =>
      store.database.transaction((tx) =>
        tx.write(`DELETE FROM runs_deadlines WHERE run_id IN ${list.marks}`, list.params),
      ),
    );
  }
}

/** As a cancel, but that the run has failed. One that is over, or pruned, only loses its deadline. */
async function endOne(store: StoreParts, { run_id, org_id, project_id }: Overdue): Promise<void> {
  await store.sealer.prepare(org_id);
  await retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const runs = await lockRuns<TimedRun>(tx, [run_id], { columns: `${LOCKED_COLUMNS}, timeout_ms` });
      const run = runs.get(run_id);
      await tx.write('DELETE FROM runs_deadlines WHERE run_id = ?', [run_id]);
      if (run === undefined || isTerminal(run)) return;
      const message = messageOf(run);
      const waits = await cancelOpen(tx, store, { run_id, reason: message });
      await finishRun(tx, store, run, { status: 'failed', code: deadlineExceeded.code, message }, undefined);
      // After the end was announced, because an announcement takes its locks first.
      await tellKinds(tx, store, waits);
      tx.afterCommit(() => store.wakeups.run(run_id, { project_id, part: 'run', over: true }));
    }),
  );
}

type TimedRun = LockedRun & { timeout_ms: number | null };

const messageOf = ({ timeout_ms }: TimedRun): string =>
  `the run took longer than its timeout of ${formatDuration(timeout_ms ?? 0)}. ${deadlineExceeded.next}`;
