import {
  distinct,
  inList,
  inState,
  chunks,
  retryUnknownCommit,
  type Param,
  type Queries,
} from '../../../../../kernel/contracts/index.ts';
import { type ClaimRef, type Renewal, type SlotUse, MAX_LOSSES, PAUSED_DUE } from '../../contract.ts';
import {
  FENCE_COLUMNS,
  type Fence,
  isLastClaim,
  claimLost,
  lockFence,
  type ActivityOwner,
} from '../rows/activities.ts';
import type { StoreContext } from '../rows/context.ts';
import { activityKilled } from '../../errors.ts';
import { completeClaim } from '../end/complete.ts';
import { lastPosition } from '../rows/journal.ts';
import { lockRun } from '../rows/runs.ts';

/** Releases a claim; the activity keeps its position in the queue. */
const RELEASE = `UPDATE runs_activities SET state = 'pending', agent_id = NULL, deadline = NULL WHERE ${inState('claimed')}`;

/** Extends the leases of an agent's claims. Answers the claims that it has lost. */
export async function renewClaims(
  store: StoreContext,
  agent_id: string,
  claims: readonly ClaimRef[],
  lease_ms: number,
): Promise<Renewal> {
  const lost: ClaimRef[] = [];
  const paused: ClaimRef[] = [];
  for (const chunk of chunks(claims)) {
    const valid = await readValidClaims(store, agent_id, chunk);
    lost.push(...chunk.filter((claim) => !valid.has(claim)));
    if (valid.size === 0) continue;
    paused.push(...[...valid].flatMap(([claim, due]) => (due === PAUSED_DUE ? [claim] : [])));
    const renewed = await extendLeases(store, agent_id, [...valid.keys()], lease_ms);
    if (renewed === distinct([...valid.keys()], ({ activity_id }) => activity_id).length) continue;
    // Some changed hands in between, or had this very deadline, which counts as no change: read them again.
    const still_valid = await readValidClaims(store, agent_id, [...valid.keys()]);
    lost.push(...[...valid.keys()].filter((claim) => !still_valid.has(claim)));
  }
  return paused.length === 0 ? { lost } : { lost, paused };
}

/** Reads which runs and projects use the slots of claimed activities. */
export async function readSlotUses(
  { database }: Pick<StoreContext, 'database'>,
  activity_ids: readonly string[],
): Promise<ReadonlyMap<string, SlotUse>> {
  const uses = new Map<string, SlotUse>();
  for (const ids of chunks(activity_ids)) {
    const list = inList(ids);
    const rows = await database.read<Omit<SlotUse, 'trusted'> & { trusted: number }>(
      `SELECT a.activity_id, r.run_id, r.org_id, r.project_id, r.trusted FROM runs_activities a
       JOIN runs_runs r ON r.run_id = a.run_id WHERE a.activity_id IN ${list.placeholders}`,
      list.params,
    );
    for (const row of rows) uses.set(row.activity_id, { ...row, trusted: row.trusted === 1 });
  }
  return uses;
}

/** The claims that are valid, and when their activities are due. */
async function readValidClaims(
  store: StoreContext,
  agent_id: string,
  claims: readonly ClaimRef[],
): Promise<Map<ClaimRef, number>> {
  const list = inList(claims.map(({ activity_id }) => activity_id));
  const rows = await store.database.read<ClaimRef & { due: number }>(
    `SELECT activity_id, epoch, due FROM runs_activities WHERE activity_id IN ${list.placeholders} AND ${inState('claimed')} AND agent_id = ?`,
    [...list.params, agent_id],
  );
  const found = new Map(rows.map((row) => [row.activity_id, row]));
  return new Map(
    claims.flatMap((claim) => {
      const row = found.get(claim.activity_id);
      return row?.epoch === claim.epoch ? [[claim, row.due]] : [];
    }),
  );
}

/** Guards the epoch too, because the same agent may have lost the activity and claimed it again. */
function extendLeases(
  store: StoreContext,
  agent_id: string,
  claims: readonly ClaimRef[],
  lease_ms: number,
): Promise<number> {
  const list = inList(claims.map(({ activity_id }) => activity_id));
  const epochs = [...new Set(claims.map(({ epoch }) => epoch))];
  const params: Param[] = [store.database.now() + lease_ms, agent_id, ...list.params];
  if (epochs.length === 1)
    return store.database.write(
      `UPDATE runs_activities SET deadline = ? WHERE agent_id = ? AND ${inState('claimed')}
       AND activity_id IN ${list.placeholders} AND epoch = ?`,
      [...params, epochs[0]!],
    );
  return store.database.write(
    `UPDATE runs_activities SET deadline = ? WHERE agent_id = ? AND ${inState('claimed')} AND activity_id IN ${list.placeholders}
     AND (${claims.map(() => '(activity_id = ? AND epoch = ?)').join(' OR ')})`,
    [...params, ...claims.flatMap(({ activity_id, epoch }) => [activity_id, epoch])],
  );
}

/** Releases a claim on the agent's request. A repeat succeeds until somebody else claims the activity. */
export async function releaseClaim(store: StoreContext, claim: ClaimRef): Promise<void> {
  const freed = await retryUnknownCommit(() =>
    store.database.write(`${RELEASE} AND activity_id = ? AND epoch = ?`, [claim.activity_id, claim.epoch]),
  );
  if (freed === 1) {
    store.spans?.passEnded(undefined, claim, 'released');
    return store.wakeups.work();
  }
  const [fence] = await store.database.read<Fence>(
    `SELECT ${FENCE_COLUMNS} FROM runs_activities WHERE activity_id = ?`,
    [claim.activity_id],
  );
  if (fence && fence.state === 'pending' && isLastClaim(fence, claim)) return;
  throw claimLost(claim);
}

interface ExpiredClaim extends ActivityOwner {
  epoch: number;
  agent_id: string;
  losses: number | null;
  lost_at_length: number | null;
}

/** Under which condition, besides the epoch, a claim counts as lost. */
interface LossCondition {
  where: string;
  params: readonly Param[];
}

const EXPIRED_COLUMNS = 'activity_id, run_id, org_id, project_id, epoch, agent_id, losses, lost_at_length';

/** Releases what `agent_id` had claimed and no longer names. */
export async function releaseUnnamed(
  store: StoreContext,
  agent_id: string,
  holding: readonly ClaimRef[],
): Promise<number> {
  const claimed = await store.database.read<ExpiredClaim>(
    `SELECT ${EXPIRED_COLUMNS} FROM runs_activities WHERE state = 'claimed' AND agent_id = ?`,
    [agent_id],
  );
  const named = new Set(holding.map(({ activity_id, epoch }) => `${activity_id} ${epoch}`));
  const unnamed = claimed.filter(({ activity_id, epoch }) => !named.has(`${activity_id} ${epoch}`));
  const lost = await loseClaims(store, unnamed, { where: 'agent_id = ?', params: [agent_id] });
  return lost.length;
}

/** Releases claims whose lease has expired by the database's clock. Answers how many. */
export async function expireClaims(store: StoreContext, limit: number): Promise<number> {
  const now = store.database.now();
  const most = Math.max(1, Math.min(Math.trunc(limit), 1000));
  const overdue = await store.database.read<ExpiredClaim>(
    `SELECT ${EXPIRED_COLUMNS} FROM runs_activities WHERE state = 'claimed' AND deadline < ? ORDER BY deadline LIMIT ${most}`,
    [now],
  );
  const lost = await loseClaims(store, overdue, { where: 'deadline < ?', params: [now] });
  for (const { activity_id, epoch, agent_id } of lost)
    store.wakeups.revoked({ activity_id, epoch, agent_id, reason: 'the claim was not renewed in time' });
  return lost.length;
}

/**
 * Releases claims, and fails activities that were lost too often. Answers the claims that are over. Activities that may fail
 * come last, so that an error there does not block the others.
 */
async function loseClaims(
  store: StoreContext,
  claims: readonly ExpiredClaim[],
  condition: LossCondition,
): Promise<ExpiredClaim[]> {
  const atLossLimit = ({ losses }: ExpiredClaim) => (losses ?? 0) + 1 >= MAX_LOSSES;
  const lost: ExpiredClaim[] = [];
  try {
    for (const claim of claims)
      if (!atLossLimit(claim) && (await releaseLost(store, claim, condition))) lost.push(claim);
    for (const claim of claims)
      if (atLossLimit(claim) && (await failOrRelease(store, claim, condition))) lost.push(claim);
  } finally {
    if (lost.length > 0) store.wakeups.work();
    if (store.spans) for (const claim of lost) store.spans.passEnded(undefined, claim, 'lost');
  }
  return lost;
}

/**
 * claimed → pending; the activity keeps its position in the queue. A record written between reading the journal and
 * this update is seen at the next loss, whose count then begins again.
 */
async function releaseLost(
  { database }: { database: Pick<Queries, 'read' | 'write'> },
  claim: ExpiredClaim,
  { where, params }: LossCondition,
): Promise<boolean> {
  const { length, losses } = await countLoss(database, claim);
  const freed = await database.write(
    `UPDATE runs_activities SET state = 'pending', agent_id = NULL, deadline = NULL, losses = ?, lost_at_length = ?
     WHERE ${inState('claimed')} AND activity_id = ? AND epoch = ? AND ${where}`,
    [losses, length, claim.activity_id, claim.epoch, ...params],
  );
  return freed === 1;
}

/** Fails an activity whose journal has not grown since it was lost before, otherwise releases it. Locks its run and itself. */
async function failOrRelease(store: StoreContext, claim: ExpiredClaim, condition: LossCondition): Promise<boolean> {
  const owner = await store.owners.find(claim.activity_id);
  const masker = await store.masks.of(owner);
  return retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRun(tx, claim.run_id);
      await lockFence(tx, claim.activity_id);
      const { losses } = await countLoss(tx, claim);
      if (losses < MAX_LOSSES) return releaseLost({ database: tx }, claim, condition);
      const [valid] = await tx.read(
        `SELECT 1 AS found FROM runs_activities WHERE ${inState('claimed')} AND activity_id = ? AND epoch = ? AND ${condition.where}`,
        [claim.activity_id, claim.epoch, ...condition.params],
      );
      if (!valid) return false;
      const { code, title, next } = activityKilled;
      const often = `It was lost ${losses} times at the same position of its journal, most recently with agent ${claim.agent_id}.`;
      const message = `${title} ${often}\n${next}`;
      await completeClaim(tx, store, run, claim, { completion: { status: 'failed', code, message }, masker });
      return true;
    }),
  );
}

/** Counts losses at one length of the journal: when the journal has grown, the count begins again. */
async function countLoss(on: Pick<Queries, 'read'>, claim: ExpiredClaim): Promise<{ length: number; losses: number }> {
  const length = (await lastPosition(on, claim)) + 1;
  return { length, losses: claim.lost_at_length === length ? (claim.losses ?? 0) + 1 : 1 };
}
