import { Errors, type Transaction, retryUnknownCommit } from '../../../kernel/contracts/index.ts';
import type { ArmWait, ClaimRef, JournalRecord, WaitKind, WaitOutcome } from '../contract.ts';
import { jobOf, MAX_WAIT_OUTPUT_BYTES } from '../contract.ts';
import { checkCall, checkOutcome, sameSite } from '../domain/record-rules.ts';
import { ACTIVITY, heldLast, holds, lockFence, lost } from './activity-rows.ts';
import { hasSite, insertRecord, otherRecord, otherSite, recordOf, sealRecord } from './journal.ts';
import { keyOf } from './keys.ts';
import type { StoreParts } from './parts.ts';
import { contextAhead, recordedAt } from './perform.ts';
import type { ActivityOwner } from './activity-owners.ts';
import type { LockedRun } from './run-columns.ts';
import { contextOf, lockRun, mustChange, nextStatus, setStatus, takeSeq } from './run-rows.ts';
import { bytesOfCall, countCalls, countOutcomes } from './untrusted-runs.ts';
import { tellWork } from './tell-work.ts';
import { insertWait, readWait } from './wait-rows.ts';

export type Parked = { parked: true } | { record: JournalRecord };

/** claimed → parked with an armed wait, or the outcome at once. A repeat of the call gets the same answer. */
export async function parkActivity(store: StoreParts, claim: ClaimRef, wait: ArmWait): Promise<Parked> {
  checkCall(wait);
  const kind = store.wait_kinds.get(wait.kind);
  if (!kind) throw Errors.invalidRequest(`there is no wait of kind ${wait.kind}`);
  const owner = await store.owners.of(claim.activity_id);
  const prepared = kind.prepare && (await kind.prepare(await contextAhead(store, owner), wait));
  return retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRun(tx, owner.run_id);
      const fence = await lockFence(tx, claim.activity_id);
      if (!holds(fence, claim)) {
        if (heldLast(fence, claim) && (await armedBy(tx, owner, claim, wait))) return { parked: true };
        throw lost(claim);
      }
      const recorded = await recordedAt(tx, store, owner, wait);
      if (recorded) return { record: recorded };
      if (await hasSite(tx, owner, wait)) throw otherSite(owner, wait);
      if (run.trusted === 0) {
        const beyond = await countCalls(tx, store.limits, run.run_id, [{ bytes: bytesOfCall(wait) }]);
        if (beyond) throw beyond;
      }
      const arm = async () => {
        const outcome = await outcomeNow(tx, kind, run, claim, wait, store.database.now(), prepared);
        if (outcome) {
          const record = await recordAtOnce(tx, store, owner, claim, wait, outcome);
          if (run.trusted === 0) await countOutcomes(tx, [{ run_id: run.run_id, outcome }]);
          return { record };
        }
        await armWait(tx, store, run, kind, claim, wait);
        await setParked(tx, store, run, claim);
        return { parked: true } as const;
      };
      return await (store.spans?.within(run, jobOf(run, fence), wait, arm) ?? arm());
    }),
  );
}

/** True when this very call parked the activity before and its answer was lost. */
async function armedBy(tx: Transaction, owner: ActivityOwner, claim: ClaimRef, wait: ArmWait): Promise<boolean> {
  const armed = await readWait(tx, { ...owner, position: wait.position });
  if (!armed || armed.epoch !== claim.epoch) return false;
  if (!sameSite(armed, wait)) throw otherRecord(owner, wait.position);
  return true;
}

/** The outcome that is available now, or that of a timeout of zero. */
export async function outcomeNow(
  tx: Transaction,
  kind: WaitKind,
  run: LockedRun,
  claim: ClaimRef,
  wait: ArmWait,
  now: number,
  prepared?: unknown,
): Promise<WaitOutcome | undefined> {
  const outcome = await kind.tryResolve(tx, contextOf(run, claim.activity_id), wait, prepared);
  if (outcome || wait.timeout_ms === undefined || wait.timeout_ms > 0) return outcome;
  const { org_id, project_id, run_id } = run;
  const { activity_id } = claim;
  const { position, name, args } = wait;
  return kind.expire({ org_id, project_id, run_id, activity_id, position, name, args, armed_at: now }, tx);
}

async function recordAtOnce(
  tx: Transaction,
  store: StoreParts,
  owner: ActivityOwner,
  claim: ClaimRef,
  wait: ArmWait,
  outcome: WaitOutcome,
): Promise<JournalRecord> {
  checkOutcome(outcome, MAX_WAIT_OUTPUT_BYTES);
  const record = recordOf(wait, outcome);
  await insertRecord(tx, owner, sealRecord(store.sealer, owner, claim.epoch, record), store);
  tx.afterCommit(() => store.wakeups.run(owner.run_id, { project_id: owner.project_id, part: 'steps' }));
  return record;
}

export async function armWait(
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
  const kept = kind.prepare ? { ...wait, args: null } : wait;
  await insertWait(tx, store.sealer, run, claim.activity_id, kept, {
    substate: kind.substate,
    topic: queue === undefined ? '' : keyOf('signal', queue),
    seq: await takeSeq(tx, run),
    epoch: claim.epoch,
    now,
    deadline,
  });
  await kind.arm?.(tx, contextOf(run, claim.activity_id), wait);
  if (deadline !== null) tx.afterCommit(() => store.wakeups.timer(deadline));
}

/** claimed → parked; the last step of its transaction. */
export async function setParked(tx: Transaction, store: StoreParts, run: LockedRun, claim: ClaimRef): Promise<void> {
  store.spans?.passEnded(tx, claim, 'parked');
  await mustChange(
    tx,
    1,
    `UPDATE runs_activities SET state = 'parked', deadline = NULL, agent_id = NULL
     WHERE activity_id = ? AND state = 'claimed' AND epoch = ?`,
    [claim.activity_id, claim.epoch],
  );
  tx.settled(ACTIVITY.table, [[claim.activity_id]]);
  const next = await nextStatus(tx, run.run_id);
  if (next) await setStatus(tx, run, next.status);
  if (next?.status === 'waiting') await tellWork(tx, store, [{ run, working: next.working }]);
  tx.afterCommit(() => store.wakeups.run(run.run_id, { project_id: run.project_id, part: 'run' }));
}
