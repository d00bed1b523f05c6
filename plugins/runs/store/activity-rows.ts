import type { Transaction } from '../../../kernel/contracts/index.ts';
import type { ClaimRef } from '../contract.ts';
import { leaseLost } from '../errors.ts';
import { distinct, inList, parts } from './batches.ts';

export type ActivityState = 'pending' | 'claimed' | 'parked' | 'done' | 'failed' | 'cancelled';

/** What fences an agent's write. */
export interface Fence {
  activity_id: string;
  state: ActivityState;
  epoch: number;
  agent_id: string | null;
}

/** Locks activities in byte order of their ids. Their runs, if they are locked at all, are locked before. */
export async function lockFences(tx: Transaction, activity_ids: readonly string[]): Promise<Map<string, Fence>> {
  const found = new Map<string, Fence>();
  for (const ids of parts(distinct(activity_ids, (id) => id))) {
    const list = inList(ids);
    const rows = await tx.read<Fence>(
      `SELECT activity_id, state, epoch, agent_id FROM runs_activities WHERE activity_id IN ${list.marks}
       ORDER BY activity_id ${tx.sql.for_update}`,
      list.params,
    );
    for (const row of rows) found.set(row.activity_id, row);
  }
  return found;
}

export async function lockFence(tx: Transaction, activity_id: string): Promise<Fence> {
  const fence = (await lockFences(tx, [activity_id])).get(activity_id);
  if (!fence) throw leaseLost(`there is no activity ${activity_id}`);
  return fence;
}

/** Is this the present claim of its activity? */
export const holds = (fence: Fence | undefined, claim: ClaimRef): boolean =>
  fence !== undefined && fence.state === 'claimed' && fence.epoch === claim.epoch;

/** Did this claim end with nobody having claimed the activity since? Then a repeat of its last word is no stale write. */
export const heldLast = (fence: Fence, claim: ClaimRef): boolean =>
  fence.state !== 'claimed' && fence.epoch === claim.epoch;

export const lost = (claim: ClaimRef) => leaseLost(`claim ${claim.epoch} of activity ${claim.activity_id} is over`);
