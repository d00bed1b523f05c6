import {
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

/** A call that is made. */
export interface NewCall extends Call {
  /** The run at the top of the chain of calls. */
  root_id: string;
}

type CallState = 'open' | 'ended' | 'left' | 'done';

const COLUMNS = ['called_id', 'org_id', 'project_id', 'run_id', 'activity_id', 'position', 'state'];
const INSERTED = [...COLUMNS, 'root_id'];
const WAIT = ['run_id', 'activity_id', 'position'] as const;

export async function insertCall(tx: Transaction, call: NewCall, state: CallState): Promise<void> {
  const { called_id, org_id, project_id, run_id, activity_id, position, root_id } = call;
  const row = [called_id, org_id, project_id, run_id, activity_id, position, state, root_id];
  await insertRows(tx, 'INSERT INTO runs_calls', INSERTED, [row]);
}

/** What stands above a run. */
export interface RunsAbove {
  /** How many runs, each called or spawned by the one before. */
  count: number;
  /** The first run of the chain of calls that it ends; itself when nobody called it. */
  root_id: string;
  /** Nobody waits any more for it or for a run above it that was called: it is to be cancelled, or will be. */
  left: boolean;
}

/** Looks up to `most` runs above; there may be one more than that. */
export async function runsAbove(on: Pick<Queries, 'read'>, run_id: string, most: number): Promise<RunsAbove> {
  const above: RunsAbove = { count: 0, root_id: run_id, left: false };
  let called = true;
  for (let id = run_id; above.count <= most; above.count++) {
    const [run] = await on.read<{ parent: string | null; caller: string | null; state: CallState | null }>(
      `SELECT r.parent, c.run_id AS caller, c.state FROM runs_runs r LEFT JOIN runs_calls c ON c.called_id = r.run_id
       WHERE r.run_id = ?`,
      [id],
    );
    called &&= typeof run?.caller === 'string';
    if (called) {
      above.root_id = run!.caller!;
      above.left ||= run!.state !== 'open';
    }
    if (typeof run?.parent !== 'string') break;
    id = run.parent;
  }
  return above;
}

/** Called runs of a root that are not over, counted up to `most`. */
export async function countCalled(on: Pick<Queries, 'read'>, root_id: string, most: number): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM runs_calls WHERE root_id = ? AND state IN ('open', 'left')
     LIMIT ${Math.trunc(most)}) counted`,
    [root_id],
  );
  return Number(row!.n);
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

/** Calls whose waits are to be told (`ended`), or whose runs are to be cancelled (`left`): those that come after a call. */
export function dueCalls(
  on: Pick<Queries, 'read'>,
  state: 'ended' | 'left',
  after: Call | undefined,
  limit: number,
): Promise<Call[]> {
  return on.read(
    `SELECT ${COLUMNS.join(', ')} FROM runs_calls WHERE state = ? AND called_id > ?
     ORDER BY called_id LIMIT ${Math.trunc(limit)}`,
    [state, after?.called_id ?? ''],
  );
}

export async function callsDone(on: Pick<Queries, 'write'>, calls: readonly Pick<Call, 'called_id'>[]): Promise<void> {
  for (const some of chunks(calls)) {
    const list = inList(some.map(({ called_id }) => called_id));
    await on.write(`UPDATE runs_calls SET state = 'done' WHERE called_id IN ${list.marks}`, list.params);
  }
}

type CalledRun = Omit<Call, 'org_id' | 'project_id'> & { status: RunStatus };

/** The runs that a run called at these places, and their statuses; those that were pruned are left out. */
export async function calledAt(on: Pick<Queries, 'read'>, places: readonly WaitRef[]): Promise<CalledRun[]> {
  const found: CalledRun[] = [];
  for (const some of chunks(places)) {
    const { condition, params } = inKeys(
      ['c.run_id', 'c.activity_id', 'c.position'],
      some.map((at) => ({ 'c.run_id': at.run_id, 'c.activity_id': at.activity_id, 'c.position': at.position })),
    );
    const rows = await on.read<CalledRun>(
      `SELECT c.called_id, c.run_id, c.activity_id, c.position, r.status FROM runs_calls c
       JOIN runs_runs r ON r.run_id = c.called_id WHERE ${condition}`,
      params,
    );
    found.push(...rows);
  }
  return found;
}

/** The run that called or spawned a run. */
export async function parentOf(on: Pick<Queries, 'read'>, run_id: string): Promise<string | null> {
  const [row] = await on.read<{ parent: string | null }>('SELECT parent FROM runs_runs WHERE run_id = ?', [run_id]);
  return row?.parent ?? null;
}
