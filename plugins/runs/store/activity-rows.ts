import { distinct, inList, insertRows, chunks, type Param, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ActivityScope, ClaimRef, Completion } from '../contract.ts';
import { leaseLost } from '../errors.ts';

export type ActivityState = 'pending' | 'claimed' | 'parked' | 'done' | 'failed' | 'cancelled';

/** The columns of a new activity; a copy of one that has ended sets `ENDED_COLUMNS` too. */
const COLUMNS =
  'activity_id run_id org_id project_id name executor spec lane state epoch passes due created_at parent agent_id deadline'.split(
    ' ',
  );
const ENDED_COLUMNS = ['finished_at', 'output', 'error_code', 'error_message', 'exit_code'];
const COPIED_COLUMNS = [...COLUMNS, ...ENDED_COLUMNS];

/** Activities as rows to lock. */
export const ACTIVITY = { table: 'runs_activities', key: ['activity_id'] } as const;

export interface InsertedActivity {
  activity_id: string;
  name: string;
  executor: string;
  /** JSON. */
  spec: string;
  lane: string;
  state?: string;
  parent?: string | null;
  /** It is claimed from the start. */
  claim?: { agent_id: string; deadline: number };
  /** It has a journal, as if it had been claimed once. */
  resumed?: boolean;
}

export function activityRow(activity: InsertedActivity, { run_id, org_id, project_id }: ActivityScope, now: number) {
  const { activity_id, name, executor, spec, lane, claim, state = 'pending', parent = null } = activity;
  const place = [activity_id, run_id, org_id, project_id, name, executor, spec, lane];
  const passes = activity.resumed ? 1 : 0;
  if (!claim) return [...place, state, passes, passes, now, now, parent, null, null];
  return [...place, 'claimed', 1, 1, now, now, parent, claim.agent_id, claim.deadline];
}

/** The rows come from `activityRow`; those of ended activities go on with the values of `ENDED_COLUMNS`. */
export const insertActivities = (tx: Transaction, rows: readonly (readonly Param[])[]): Promise<number> =>
  insertRows(tx, 'INSERT INTO runs_activities', rows[0]?.length === COLUMNS.length ? COLUMNS : COPIED_COLUMNS, rows);

/** The columns that fence an agent's write. */
export interface Fence {
  activity_id: string;
  state: ActivityState;
  epoch: number;
  agent_id: string | null;
}

const FENCE_COLUMNS = 'activity_id, state, epoch, agent_id';

/** Locks activities in byte order of their ids. Locks on runs come before these. */
export const lockFences = (tx: Transaction, activity_ids: readonly string[]): Promise<Map<string, Fence>> =>
  lockActivities(tx, activity_ids, FENCE_COLUMNS);

/** A fence, and what others are told of the activity. */
export interface EndedFence extends Fence {
  parent: string | null;
  name: string;
  executor: string;
}

/** The same, of activities that end. */
export const lockEnds = (tx: Transaction, activity_ids: readonly string[]): Promise<Map<string, EndedFence>> =>
  lockActivities(tx, activity_ids, `${FENCE_COLUMNS}, parent, name, executor`);

async function lockActivities<Row extends Fence>(
  tx: Transaction,
  activity_ids: readonly string[],
  columns: string,
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  for (const ids of chunks(distinct(activity_ids, (id) => id))) {
    const list = inList(ids);
    const where = `activity_id IN ${list.marks}`;
    const rows = await tx.lock<Row>({ ...ACTIVITY, columns, where, params: list.params });
    for (const row of rows) found.set(row.activity_id, row);
  }
  return found;
}

export async function lockFence(tx: Transaction, activity_id: string): Promise<EndedFence> {
  const fence = (await lockEnds(tx, [activity_id])).get(activity_id);
  if (!fence) throw leaseLost(`there is no activity ${activity_id}`);
  return fence;
}

/** True for the present claim of its activity. */
export const holds = (fence: Fence | undefined, claim: ClaimRef): boolean =>
  fence !== undefined && fence.state === 'claimed' && fence.epoch === claim.epoch;

/**
 * True when this claim ended and nobody has claimed the activity since: then a repeat of its last request is not stale.
 */
export const heldLast = (fence: Fence, claim: ClaimRef): boolean =>
  fence.state !== 'claimed' && fence.epoch === claim.epoch;

/** True when this claim ended its activity in this way: a repeat of that changes nothing. */
export const hasEnded = (fence: Fence, claim: ClaimRef, { status }: Pick<Completion, 'status'>): boolean =>
  heldLast(fence, claim) && fence.state === (status === 'succeeded' ? 'done' : 'failed');

export const lost = (claim: ClaimRef) => leaseLost(`claim ${claim.epoch} of activity ${claim.activity_id} is over`);
