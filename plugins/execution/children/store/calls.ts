import {
  chunks,
  inKeys,
  inList,
  inState,
  insertRows,
  type Queries,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { WaitRef } from '../../../engine/runs/contract.ts';

/** A run that an activity called, and the wait of the call. Plugin runs creates the table `runs_calls`. */
export interface Call extends WaitRef {
  called_id: string;
  org_id: string;
  project_id: string;
}

export interface NewCall extends Call {
  /** The run at the top of the chain of calls. */
  root_id: string;
}

/**
 * `open`: somebody waits. `ended`: the called run has ended, and its caller is to be notified. `left`: the wait has ended, and the
 * called run is to be cancelled. `done`: nothing is left to do.
 */
type CallState = 'open' | 'ended' | 'left' | 'done';

const COLUMNS = ['called_id', 'org_id', 'project_id', 'run_id', 'activity_id', 'position', 'state'];
const INSERTED = [...COLUMNS, 'root_id'];
const WAIT = ['run_id', 'activity_id', 'position'] as const;

export async function insertCall(tx: Transaction, call: NewCall, state: CallState): Promise<void> {
  const { called_id, org_id, project_id, run_id, activity_id, position, root_id } = call;
  const row = [called_id, org_id, project_id, run_id, activity_id, position, state, root_id];
  await insertRows(tx, 'INSERT INTO runs_calls', INSERTED, [row]);
}

/** The chain of runs above a run. */
export interface Ancestry {
  /** How many runs there are, each called or spawned by the one before. */
  count: number;
  /** The first run of the chain of calls that ends with this run; the run itself when nobody called it. */
  root_id: string;
  /** Nobody waits any more for this run or for a called run above it: it is to be cancelled, or will be. */
  abandoned: boolean;
}

/** Looks at up to `most` runs above; there may be one more than that. */
export async function readAncestry(on: Pick<Queries, 'read'>, run_id: string, most: number): Promise<Ancestry> {
  const ancestry: Ancestry = { count: 0, root_id: run_id, abandoned: false };
  let called = true;
  for (let id = run_id; ancestry.count <= most; ancestry.count++) {
    const [run] = await on.read<{ parent: string | null; caller: string | null; state: CallState | null }>(
      `SELECT r.parent, c.run_id AS caller, c.state FROM runs_runs r LEFT JOIN runs_calls c ON c.called_id = r.run_id
       WHERE r.run_id = ?`,
      [id],
    );
    called &&= typeof run?.caller === 'string';
    if (called) {
      ancestry.root_id = run!.caller!;
      ancestry.abandoned ||= run!.state !== 'open';
    }
    if (typeof run?.parent !== 'string') break;
    id = run.parent;
  }
  return ancestry;
}

/** Called runs of a root that have not ended, counted up to `most`. */
export async function countOpenCalls(on: Pick<Queries, 'read'>, root_id: string, most: number): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM runs_calls WHERE root_id = ? AND state IN ('open', 'left')
     LIMIT ${Math.trunc(most)}) counted`,
    [root_id],
  );
  return Number(row!.n);
}

/** Marks the calls of runs that have ended. Answers how many callers are to be notified. */
export async function markEnded(tx: Transaction, called_ids: readonly string[]): Promise<number> {
  let ended = 0;
  for (const ids of chunks(called_ids)) {
    const list = inList(ids);
    ended += await tx.write(
      `UPDATE runs_calls SET state = 'ended' WHERE ${inState('open')} AND called_id IN ${list.placeholders}`,
      list.params,
    );
  }
  return ended;
}

/** Marks the calls of waits that have ended in any way. Answers how many called runs are to be cancelled. */
export async function markAbandoned(tx: Transaction, waits: readonly WaitRef[]): Promise<number> {
  let abandoned = 0;
  for (const chunk of chunks(waits)) {
    const { condition, params } = inKeys(WAIT, chunk);
    await tx.write(`UPDATE runs_calls SET state = 'done' WHERE ${inState('ended')} AND ${condition}`, params);
    abandoned += await tx.write(
      `UPDATE runs_calls SET state = 'left' WHERE ${inState('open')} AND ${condition}`,
      params,
    );
  }
  return abandoned;
}

/** Calls of a state that come after a call, in the order of the called runs. */
export function readDueCalls(
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

export async function markDone(on: Pick<Queries, 'write'>, calls: readonly Pick<Call, 'called_id'>[]): Promise<void> {
  for (const chunk of chunks(calls)) {
    const list = inList(chunk.map(({ called_id }) => called_id));
    await on.write(`UPDATE runs_calls SET state = 'done' WHERE called_id IN ${list.placeholders}`, list.params);
  }
}
