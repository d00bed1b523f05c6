import { distinct, inList, chunks, Errors, type Param, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ActivityContext, Json, RunStatus, Trigger } from '../contract.ts';
import { TERMINAL } from '../contract.ts';
import { LOCKED_COLUMNS, type LockedRun } from './run-columns.ts';
import { parseExact } from '../../schema/contract.ts';

export const isTerminal = (run: { status: RunStatus }): boolean => TERMINAL.includes(run.status);

/** Runs as rows to lock. */
export const RUN = { table: 'runs_runs', key: ['run_id'] } as const;

export const tagsOf = (run: Pick<LockedRun, 'tags'>): string[] => JSON.parse(run.tags) as string[];
export const triggerOf = (run: Pick<LockedRun, 'trigger_fields'>): Trigger => parseExact(run.trigger_fields) as Trigger;

export const absentRun = (run_id: string) => Errors.notFound(`there is no run ${run_id}`);

/** Locks a run's row: the first lock of every transition except appends, logs and renewals. */
export async function lockRun(tx: Transaction, run_id: string): Promise<LockedRun> {
  const rows = { ...RUN, columns: LOCKED_COLUMNS, where: 'run_id = ?', params: [run_id] };
  const [run] = await tx.lock<LockedRun>(rows);
  if (!run) throw absentRun(run_id);
  return run;
}

/** Rows of runs without a lock, for columns that never change. */
export async function readRunRows(on: Pick<Transaction, 'read'>, run_ids: readonly string[]): Promise<LockedRun[]> {
  const list = inList(run_ids);
  return on.read<LockedRun>(`SELECT ${LOCKED_COLUMNS} FROM runs_runs WHERE run_id IN ${list.marks}`, list.params);
}

/** The same for a caller from outside, who must name the run's org and project correctly. */
export async function lockRunOf(
  tx: Transaction,
  scope: { org_id: string; project_id: string; run_id: string },
): Promise<LockedRun> {
  const [run] = await tx.lock<LockedRun>({
    ...RUN,
    columns: LOCKED_COLUMNS,
    where: 'run_id = ? AND org_id = ? AND project_id = ?',
    params: [scope.run_id, scope.org_id, scope.project_id],
  });
  if (!run) throw absentRun(scope.run_id);
  return run;
}

/** Locks runs in byte order of their ids; with `skip`, only those that nobody else holds. */
export async function lockRuns<Row = LockedRun>(
  tx: Transaction,
  run_ids: readonly string[],
  options: { skip?: boolean; columns?: string } = {},
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  for (const ids of chunks(distinct(run_ids, (id) => id))) {
    const list = inList(ids);
    const rows = await tx.lock<Row & { run_id: string }>({
      ...RUN,
      columns: options.columns ?? LOCKED_COLUMNS,
      where: `run_id IN ${list.marks}`,
      params: list.params,
      skip: options.skip ?? false,
    });
    for (const row of rows) found.set(row.run_id, row);
  }
  return found;
}

export function contextOf(run: LockedRun, activity_id: string): ActivityContext {
  const { org_id, project_id, run_id, subject, generation } = run;
  return { org_id, project_id, run_id, activity_id, subject, generation, trusted: run.trusted === 1 };
}

/** Takes the run's next sequence number; its row must be locked. */
export async function takeSeq(tx: Transaction, run: LockedRun): Promise<number> {
  await mustChange(tx, 1, 'UPDATE runs_runs SET next_seq = next_seq + 1 WHERE run_id = ?', [run.run_id]);
  tx.settled(RUN.table, [[run.run_id]]);
  const seq = run.next_seq;
  run.next_seq += 1;
  return seq;
}

/** What follows from a started run's activities. */
export interface NextStatus {
  status: 'running' | 'waiting';
  /** An activity is queued, or an agent carries it out: while a script waits, its children may. */
  working: boolean;
}

const NEXT: Readonly<Record<string, NextStatus>> = {
  running: { status: 'running', working: true },
  attended: { status: 'waiting', working: true },
  waiting: { status: 'waiting', working: false },
};

/** The status that follows from a started run's activities; undefined when it ends. Its row must be locked. */
export const nextStatus = async (tx: Pick<Transaction, 'read'>, run_id: string): Promise<NextStatus | undefined> =>
  (await nextStatuses(tx, [run_id])).get(run_id);

/** The same for up to 128 runs: those that end are left out. */
export async function nextStatuses(
  tx: Pick<Transaction, 'read'>,
  run_ids: readonly string[],
): Promise<Map<string, NextStatus>> {
  const of = 'SELECT 1 FROM runs_activities a WHERE a.run_id = r.run_id';
  const own = `${of} AND a.parent IS NULL AND a.state`;
  const list = inList(run_ids);
  // Each query looks for one row: a run may have thousands of open activities.
  const rows = await tx.read<{ run_id: string; next_status: string | null }>(
    `SELECT r.run_id, CASE WHEN EXISTS (${own} = 'claimed') OR EXISTS (${own} = 'pending') THEN 'running'
     WHEN EXISTS (${own} = 'parked')
       THEN CASE WHEN EXISTS (${of} AND a.state IN ('pending', 'claimed')) THEN 'attended' ELSE 'waiting' END
     WHEN EXISTS (${of} AND a.state IN ('pending', 'claimed', 'parked')) THEN 'running' END AS next_status
     FROM runs_runs r WHERE r.run_id IN ${list.marks}`,
    list.params,
  );
  return new Map(
    rows.flatMap(({ run_id, next_status }) => (next_status === null ? [] : [[run_id, NEXT[next_status]!]])),
  );
}

/** Sets the status of a started run; does nothing when it has it already. */
export async function setStatus(tx: Transaction, run: LockedRun, status: RunStatus): Promise<void> {
  if (run.status === status) return;
  // A wait that ended in this transaction may have set it already.
  await mustChange(tx, 1, `UPDATE runs_runs SET status = ? WHERE run_id = ? AND status IN ('running', 'waiting')`, [
    status,
    run.run_id,
  ]);
  tx.settled(RUN.table, [[run.run_id]]);
  run.status = status;
}

/**
 * A guarded write under a lock: another row count means that the lock was not kept, and the transaction must not
 * commit.
 */
export async function mustChange(
  tx: Transaction,
  count: number,
  statement: string,
  params: readonly Param[],
): Promise<void> {
  mustBe(count, await tx.write(statement, params), statement);
}

/** The same for a count that is known already. */
export function mustBe(count: number, changed: number, what: string): void {
  if (changed !== count) throw new Error(`${changed} rows changed instead of ${count}: ${what}`);
}

/** A JSON column. */
export const parseJson = (text: string): Json => parseExact(text) as Json;
