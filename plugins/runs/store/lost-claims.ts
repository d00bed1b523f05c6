import { inState, type Param, type Queries, retryUnknownCommit } from '../../../kernel/contracts/index.ts';
import { type ClaimRef, MAX_LOSSES } from '../contract.ts';
import { activityKilled } from '../errors.ts';
import { lockFence } from './activity-rows.ts';
import { endClaim } from './finish.ts';
import { lastPosition } from './journal.ts';
import type { StoreParts } from './parts.ts';
import type { ActivityOwner } from './activity-owners.ts';
import { lockRun } from './run-rows.ts';

interface HeldClaim extends ActivityOwner {
  epoch: number;
  agent_id: string;
  losses: number | null;
  lost_at_length: number | null;
}

/** The condition, besides the epoch, under which a claim counts as lost. */
interface Condition {
  where: string;
  params: readonly Param[];
}

const COLUMNS = 'activity_id, run_id, org_id, project_id, epoch, agent_id, losses, lost_at_length';

/** Releases what `agent_id` had claimed and no longer names. */
export async function releaseAllBut(
  store: StoreParts,
  agent_id: string,
  holding: readonly ClaimRef[],
): Promise<number> {
  const claimed = await store.database.read<HeldClaim>(
    `SELECT ${COLUMNS} FROM runs_activities WHERE state = 'claimed' AND agent_id = ?`,
    [agent_id],
  );
  const named = new Set(holding.map(({ activity_id, epoch }) => `${activity_id} ${epoch}`));
  const unnamed = claimed.filter(({ activity_id, epoch }) => !named.has(`${activity_id} ${epoch}`));
  const lost = await loseClaims(store, unnamed, { where: 'agent_id = ?', params: [agent_id] });
  return lost.length;
}

/** Claims past their deadline by the database's clock → pending. */
export async function expireClaims(store: StoreParts, limit: number): Promise<number> {
  const now = store.database.now();
  const most = Math.max(1, Math.min(Math.trunc(limit), 1000));
  const overdue = await store.database.read<HeldClaim>(
    `SELECT ${COLUMNS} FROM runs_activities WHERE state = 'claimed' AND deadline < ? ORDER BY deadline LIMIT ${most}`,
    [now],
  );
  const lost = await loseClaims(store, overdue, { where: 'deadline < ?', params: [now] });
  for (const { activity_id, epoch, agent_id } of lost)
    store.wakeups.revoked({ activity_id, epoch, agent_id, reason: 'the claim was not renewed in time' });
  return lost.length;
}

/** The claims that this released. Activities about to fail come last: a fault there must not block the others. */
async function loseClaims(store: StoreParts, claims: readonly HeldClaim[], still: Condition): Promise<HeldClaim[]> {
  const doomed = ({ losses }: HeldClaim) => (losses ?? 0) + 1 >= MAX_LOSSES;
  const lost: HeldClaim[] = [];
  try {
    for (const claim of claims) if (!doomed(claim) && (await setFree(store, claim, still))) lost.push(claim);
    for (const claim of claims) if (doomed(claim) && (await judge(store, claim, still))) lost.push(claim);
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
async function setFree(
  { database }: { database: Pick<Queries, 'read' | 'write'> },
  claim: HeldClaim,
  { where, params }: Condition,
): Promise<boolean> {
  const { length, losses } = await countLoss(database, claim);
  const freed = await database.write(
    `UPDATE runs_activities SET state = 'pending', agent_id = NULL, deadline = NULL, losses = ?, lost_at_length = ?
     WHERE ${inState('claimed')} AND activity_id = ? AND epoch = ? AND ${where}`,
    [losses, length, claim.activity_id, claim.epoch, ...params],
  );
  return freed === 1;
}

/**
 * The same under the locks of the run and the activity: failed if its journal has not grown since, otherwise released.
 */
async function judge(store: StoreParts, claim: HeldClaim, still: Condition): Promise<boolean> {
  const owner = await store.owners.of(claim.activity_id);
  const masker = await store.masks.of(owner);
  return retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRun(tx, claim.run_id);
      await lockFence(tx, claim.activity_id);
      const { losses } = await countLoss(tx, claim);
      if (losses < MAX_LOSSES) return setFree({ database: tx }, claim, still);
      const [held] = await tx.read(
        `SELECT 1 AS found FROM runs_activities WHERE ${inState('claimed')} AND activity_id = ? AND epoch = ? AND ${still.where}`,
        [claim.activity_id, claim.epoch, ...still.params],
      );
      if (!held) return false;
      const { code, title, next } = activityKilled;
      const often = `It was lost ${losses} times at the same position of its journal, the last time with agent ${claim.agent_id}.`;
      const message = `${title} ${often}\n${next}`;
      await endClaim(tx, store, run, claim, { completion: { status: 'failed', code, message }, masker });
      return true;
    }),
  );
}

/** When the journal has grown since the last loss, the count begins again. */
async function countLoss(on: Pick<Queries, 'read'>, claim: HeldClaim): Promise<{ length: number; losses: number }> {
  const length = (await lastPosition(on, claim)) + 1;
  return { length, losses: claim.lost_at_length === length ? (claim.losses ?? 0) + 1 : 1 };
}
