import { distinct, inList, inState, chunks, retryUnknownCommit } from '../../../kernel/contracts/index.ts';
import type { Param } from '../../../kernel/contracts/index.ts';
import type { ClaimRef, SlotUse } from '../contract.ts';
import { type Fence, heldLast, lost } from './activity-rows.ts';
import type { StoreParts } from './parts.ts';

/** Releases a claim; the activity keeps its position in the queue. */
const FREE = `UPDATE runs_activities SET state = 'pending', agent_id = NULL, deadline = NULL WHERE ${inState('claimed')}`;

/** Extends the deadlines. Answers the claims that this agent has lost. */
export async function renewClaims(
  store: StoreParts,
  agent_id: string,
  claims: readonly ClaimRef[],
  lease_ms: number,
): Promise<{ lost: ClaimRef[] }> {
  const gone: ClaimRef[] = [];
  for (const some of chunks(claims)) {
    const held = await heldBy(store, agent_id, some);
    gone.push(...some.filter((claim) => !held.has(claim)));
    if (held.size === 0) continue;
    const kept = [...held];
    const renewed = await extend(store, agent_id, kept, lease_ms);
    if (renewed === distinct(kept, ({ activity_id }) => activity_id).length) continue;
    // Some changed hands meanwhile, or had this deadline before: read again.
    const still = await heldBy(store, agent_id, kept);
    gone.push(...kept.filter((claim) => !still.has(claim)));
  }
  return { lost: gone };
}

/** To which runs activities that agents hold belong. */
export async function slotUsesOf(
  { database }: Pick<StoreParts, 'database'>,
  activity_ids: readonly string[],
): Promise<ReadonlyMap<string, SlotUse>> {
  const found = new Map<string, SlotUse>();
  for (const ids of chunks(activity_ids)) {
    const list = inList(ids);
    const rows = await database.read<Omit<SlotUse, 'trusted'> & { trusted: number }>(
      `SELECT a.activity_id, r.run_id, r.project_id, r.trusted FROM runs_activities a
       JOIN runs_runs r ON r.run_id = a.run_id WHERE a.activity_id IN ${list.marks}`,
      list.params,
    );
    for (const row of rows) found.set(row.activity_id, { ...row, trusted: row.trusted === 1 });
  }
  return found;
}

async function heldBy(store: StoreParts, agent_id: string, claims: readonly ClaimRef[]): Promise<Set<ClaimRef>> {
  const list = inList(claims.map(({ activity_id }) => activity_id));
  const rows = await store.database.read<ClaimRef>(
    `SELECT activity_id, epoch FROM runs_activities WHERE activity_id IN ${list.marks} AND ${inState('claimed')} AND agent_id = ?`,
    [...list.params, agent_id],
  );
  const epochs = new Map(rows.map(({ activity_id, epoch }) => [activity_id, epoch]));
  return new Set(claims.filter(({ activity_id, epoch }) => epochs.get(activity_id) === epoch));
}

/** The epoch is guarded too: the same agent may have lost the activity and claimed it again. */
function extend(store: StoreParts, agent_id: string, claims: readonly ClaimRef[], lease_ms: number): Promise<number> {
  const list = inList(claims.map(({ activity_id }) => activity_id));
  const epochs = [...new Set(claims.map(({ epoch }) => epoch))];
  const params: Param[] = [store.database.now() + lease_ms, agent_id, ...list.params];
  if (epochs.length === 1)
    return store.database.write(
      `UPDATE runs_activities SET deadline = ? WHERE agent_id = ? AND ${inState('claimed')}
       AND activity_id IN ${list.marks} AND epoch = ?`,
      [...params, epochs[0]!],
    );
  return store.database.write(
    `UPDATE runs_activities SET deadline = ? WHERE agent_id = ? AND ${inState('claimed')} AND activity_id IN ${list.marks}
     AND (${claims.map(() => '(activity_id = ? AND epoch = ?)').join(' OR ')})`,
    [...params, ...claims.flatMap(({ activity_id, epoch }) => [activity_id, epoch])],
  );
}

/** claimed → pending on the agent's request. A repeat is fine until somebody else claims the activity. */
export async function releaseClaim(store: StoreParts, claim: ClaimRef): Promise<void> {
  const freed = await retryUnknownCommit(() =>
    store.database.write(`${FREE} AND activity_id = ? AND epoch = ?`, [claim.activity_id, claim.epoch]),
  );
  if (freed === 1) {
    store.spans?.passEnded(undefined, claim, 'released');
    return store.wakeups.work();
  }
  const [fence] = await store.database.read<Fence>(
    'SELECT activity_id, state, epoch, agent_id FROM runs_activities WHERE activity_id = ?',
    [claim.activity_id],
  );
  if (fence && fence.state === 'pending' && heldLast(fence, claim)) return;
  throw lost(claim);
}
