import { Errors, type Transaction, settled } from '../../../kernel/contracts/index.ts';
import type { ArmWait, ClaimRef, JournalRecord, WaitKind, WaitOutcome } from '../contract.ts';
import { checkOutcome, checkWait, sameSite, WAIT_OUTPUT_BYTES } from '../domain/record-rules.ts';
import { heldLast, holds, lockFence, lost } from './activity-rows.ts';
import { hasSite, insertRecord, otherRecord, otherSite, recordOf, sealRecord } from './journal.ts';
import { keyOf } from './keys.ts';
import type { StoreParts } from './parts.ts';
import { recordedAt } from './perform.ts';
import type { ActivityPlace } from './places.ts';
import { contextOf, type LockedRun, lockRun, mustChange, nextStatus, setStatus, takeSeq } from './run-rows.ts';
import { insertWait, readWait } from './wait-rows.ts';

export type Parked = { parked: true } | { record: JournalRecord };

/** claimed → parked with an armed wait, or the outcome at once. A repeat of the call gets the same answer. */
export async function parkActivity(store: StoreParts, claim: ClaimRef, wait: ArmWait): Promise<Parked> {
  checkWait(wait);
  const kind = store.wait_kinds.get(wait.kind);
  if (!kind) throw Errors.invalidRequest(`there is no wait of kind ${wait.kind}`);
  const place = await store.places.of(claim.activity_id);
  return settled(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRun(tx, place.run_id);
      const fence = await lockFence(tx, claim.activity_id);
      if (!holds(fence, claim)) {
        if (heldLast(fence, claim) && (await armedBy(tx, place, claim, wait))) return { parked: true };
        throw lost(claim);
      }
      const recorded = await recordedAt(tx, store, place, wait);
      if (recorded) return { record: recorded };
      if (await hasSite(tx, place, wait)) throw otherSite(place, wait);
      const outcome = await outcomeNow(tx, kind, run, claim, wait, store.database.now());
      if (outcome) return { record: await recordAtOnce(tx, store, place, claim, wait, outcome) };
      await arm(tx, store, run, kind, claim, wait);
      return { parked: true };
    }),
  );
}

/** Did this very call park the activity before, and its answer was lost? */
async function armedBy(tx: Transaction, place: ActivityPlace, claim: ClaimRef, wait: ArmWait): Promise<boolean> {
  const armed = await readWait(tx, { ...place, position: wait.position });
  if (!armed || armed.epoch !== claim.epoch) return false;
  if (!sameSite(armed, wait)) throw otherRecord(place, wait.position);
  return true;
}

/** What there is already, or what a timeout that lets no time pass comes to. */
async function outcomeNow(
  tx: Transaction,
  kind: WaitKind,
  run: LockedRun,
  claim: ClaimRef,
  wait: ArmWait,
  now: number,
): Promise<WaitOutcome | undefined> {
  const outcome = await kind.tryResolve(tx, contextOf(run, claim.activity_id), wait);
  if (outcome || wait.timeout_ms === undefined || wait.timeout_ms > 0) return outcome;
  const { org_id, project_id, run_id } = run;
  const { activity_id } = claim;
  const { position, name, args } = wait;
  return kind.expire({ org_id, project_id, run_id, activity_id, position, name, args, armed_at: now }, tx);
}

async function recordAtOnce(
  tx: Transaction,
  store: StoreParts,
  place: ActivityPlace,
  claim: ClaimRef,
  wait: ArmWait,
  outcome: WaitOutcome,
): Promise<JournalRecord> {
  checkOutcome(outcome, WAIT_OUTPUT_BYTES);
  const record = recordOf(wait, outcome);
  await insertRecord(tx, place, sealRecord(store.sealer, place, claim.epoch, record), store.database.now());
  tx.afterCommit(() => store.wakeups.run(place.run_id));
  return record;
}

async function arm(
  tx: Transaction,
  store: StoreParts,
  run: LockedRun,
  kind: WaitKind,
  claim: ClaimRef,
  wait: ArmWait,
): Promise<void> {
  const now = store.database.now();
  const deadline = wait.timeout_ms === undefined ? null : now + Math.ceil(wait.timeout_ms);
  const queue = kind.signal?.(contextOf(run, claim.activity_id), wait);
  await insertWait(tx, run, claim.activity_id, wait, {
    substate: kind.substate,
    topic: queue === undefined ? '' : keyOf('signal', queue),
    seq: await takeSeq(tx, run),
    epoch: claim.epoch,
    now,
    deadline,
  });
  await kind.arm?.(tx, contextOf(run, claim.activity_id), wait);
  await mustChange(
    tx,
    1,
    `UPDATE runs_activities SET state = 'parked', deadline = NULL, agent_id = NULL
     WHERE activity_id = ? AND state = 'claimed' AND epoch = ?`,
    [claim.activity_id, claim.epoch],
  );
  const status = await nextStatus(tx, run.run_id);
  if (status !== undefined) await setStatus(tx, run, status);
  tx.afterCommit(() => {
    store.wakeups.run(run.run_id);
    if (deadline !== null) store.wakeups.timer(deadline);
  });
}
