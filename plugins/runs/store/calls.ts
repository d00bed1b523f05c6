import {
  beyond,
  chunks,
  inKeys,
  inList,
  insertRows,
  inState,
  type Queries,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { RunStatus, WaitRef } from '../contract.ts';

/** A run that a job called, and the wait of the call. */
export interface Call extends WaitRef {
  called_id: string;
  org_id: string;
  project_id: string;
}

type CallState = 'open' | 'ended' | 'left' | 'done';

const COLUMNS = ['called_id', 'org_id', 'project_id', 'run_id', 'activity_id', 'position', 'state'];
const WAIT = ['run_id', 'activity_id', 'position'] as const;

export async function insertCall(tx: Transaction, call: Call, state: CallState): Promise<void> {
  const { called_id, org_id, project_id, run_id, activity_id, position } = call;
  const row = [called_id, org_id, project_id, run_id, activity_id, position, state];
  await insertRows(tx, 'INSERT INTO runs_calls', COLUMNS, [row]);
}

/** These runs are over. Answers how many of them somebody waits for. */
export async function callsEnded(tx: Transaction, called_ids: readonly string[]): Promise<number> {
  let ended = 0;
  for (const ids of chunks(called_ids)) {
    const list = inList(ids);
    ended += await tx.write(
      `UPDATE runs_calls SET state = 'ended' WHERE ${inState('open')} AND called_id IN ${list.marks}`,
      list.params,
    );
  }
  return ended;
}

/** These waits have ended, in whatever way. Answers how many runs are to be cancelled. */
export async function waitsEnded(tx: Transaction, waits: readonly WaitRef[]): Promise<number> {
  let left = 0;
  for (const some of chunks(waits)) {
    const { condition, params } = inKeys(WAIT, some);
    await tx.write(`UPDATE runs_calls SET state = 'done' WHERE ${inState('ended')} AND ${condition}`, params);
    left += await tx.write(`UPDATE runs_calls SET state = 'left' WHERE ${inState('open')} AND ${condition}`, params);
  }
  return left;
}

/** A call whose wait is to be told, or whose run is to be cancelled. */
export type DueCall = Call & { state: 'ended' | 'left' };

/** Those that come after a call. */
export function dueCalls(on: Pick<Queries, 'read'>, after: DueCall | undefined, limit: number): Promise<DueCall[]> {
  const { condition, params } = beyond(['state', 'called_id'], after);
  return on.read(
    `SELECT ${COLUMNS.join(', ')} FROM runs_calls WHERE state IN ('ended', 'left') AND ${condition}
     ORDER BY state, called_id LIMIT ${Math.trunc(limit)}`,
    params,
  );
}

export async function callDone(on: Pick<Queries, 'write'>, { called_id }: Call): Promise<void> {
  await on.write(`UPDATE runs_calls SET state = 'done' WHERE called_id = ?`, [called_id]);
}

/** The runs that a run called, and their statuses; those that were pruned are left out. */
export function calledBy(
  on: Pick<Queries, 'read'>,
  run_id: string,
): Promise<(Omit<Call, 'org_id' | 'project_id'> & { status: RunStatus })[]> {
  return on.read(
    `SELECT c.called_id, c.run_id, c.activity_id, c.position, r.status FROM runs_calls c
     JOIN runs_runs r ON r.run_id = c.called_id WHERE c.run_id = ?`,
    [run_id],
  );
}

/** The run that called or spawned a run. */
export async function parentOf(on: Pick<Queries, 'read'>, run_id: string): Promise<string | null> {
  const [row] = await on.read<{ parent: string | null }>('SELECT parent FROM runs_runs WHERE run_id = ?', [run_id]);
  return row?.parent ?? null;
}
