import { Errors, type Transaction, retryUnknownCommit } from '../../../../../kernel/contracts/index.ts';
import {
  type ArmWait,
  type ClaimRef,
  type JournalRecord,
  type WaitBranch,
  type WaitKind,
  type WaitOutcome,
  jobOf,
  MAX_WAIT_OUTPUT_BYTES,
  type ActivityEnd,
  type Completion,
  type Json,
  type WaitingActivity,
  NO_EXECUTOR,
  REJECTED_EXIT_CODE,
} from '../../contract.ts';
import { checkCall, checkOutcome, sameSite } from '../../domain/record-rules.ts';
import {
  ACTIVITY,
  isLastClaim,
  hasClaim,
  lockFence,
  claimLost,
  type ActivityOwner,
  activityRow,
  insertActivities,
} from '../rows/activities.ts';
import {
  hasSite,
  insertRecord,
  recordConflict,
  siteConflict,
  recordOf,
  sealRecord,
  insertRecords,
} from '../rows/journal.ts';
import { parseJson, textKey } from '../rows/sealing.ts';
import type { StoreContext } from '../rows/context.ts';
import { readContext, readRecordedCall } from '../journal/perform.ts';
import {
  type LockedRun,
  toActivityContext,
  lockRun,
  writeExactly,
  readNextStatus,
  setStatus,
  takeSeq,
  notifyWorkObservers,
} from '../rows/runs.ts';
import { callBytes, countCalls, countOutcomes } from '../rows/usage.ts';
import { insertWait, NO_CLAIM, readWait } from '../rows/waits.ts';
import { endActivities } from '../rows/activity-ends.ts';

export type ParkResult = { parked: true } | { record: JournalRecord };

/** Parks a claimed activity with an armed wait, or answers the outcome at once. A repeat gets the same answer. */
export async function parkActivity(store: StoreContext, claim: ClaimRef, wait: ArmWait): Promise<ParkResult> {
  checkCall(wait);
  const kind = store.wait_kinds.get(wait.kind);
  if (!kind) throw Errors.invalidRequest(`there is no wait of kind ${wait.kind}`);
  const owner = await store.owners.find(claim.activity_id);
  const prepared = kind.prepare && (await kind.prepare(await readContext(store, owner), wait));
  return retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRun(tx, owner.run_id);
      const fence = await lockFence(tx, claim.activity_id);
      if (!hasClaim(fence, claim)) {
        if (isLastClaim(fence, claim) && (await isArmedBy(tx, owner, claim, wait))) return { parked: true };
        throw claimLost(claim);
      }
      const recorded = await readRecordedCall(tx, store, owner, wait);
      if (recorded) return { record: recorded };
      if (await hasSite(tx, owner, wait)) throw siteConflict(owner, wait);
      if (run.trusted === 0) {
        const beyond = await countCalls(tx, store.limits, run.run_id, [{ bytes: callBytes(wait) }]);
        if (beyond) throw beyond;
      }
      const arm = async () => {
        const outcome = await tryResolveNow(tx, kind, run, claim, wait, store.database.now(), prepared);
        if (outcome) {
          const record = await recordOutcome(tx, store, owner, claim, wait, outcome);
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
async function isArmedBy(tx: Transaction, owner: ActivityOwner, claim: ClaimRef, wait: ArmWait): Promise<boolean> {
  const armed = await readWait(tx, { ...owner, position: wait.position });
  if (!armed || armed.epoch !== claim.epoch) return false;
  if (!sameSite(armed, wait)) throw recordConflict(owner, wait.position);
  return true;
}

/** The outcome that is available now, or that of a timeout of zero. */
export async function tryResolveNow(
  tx: Transaction,
  kind: WaitKind,
  run: LockedRun,
  claim: ClaimRef,
  wait: ArmWait,
  now: number,
  prepared?: unknown,
): Promise<WaitOutcome | undefined> {
  const outcome = await kind.tryResolve(tx, toActivityContext(run, claim.activity_id), wait, prepared);
  if (outcome || wait.timeout_ms === undefined || wait.timeout_ms > 0) return outcome;
  const { org_id, project_id, run_id } = run;
  const { activity_id } = claim;
  const { position, name, args } = wait;
  return kind.expire({ org_id, project_id, run_id, activity_id, position, name, args, armed_at: now }, tx);
}

async function recordOutcome(
  tx: Transaction,
  store: StoreContext,
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
  store: StoreContext,
  run: LockedRun,
  kind: WaitKind,
  claim: ClaimRef,
  wait: ArmWait,
): Promise<void> {
  for (const branch of kind.firstOf?.branches(wait) ?? []) await armBranch(tx, store, run, claim.activity_id, branch);
  const now = store.database.now();
  const deadline = wait.timeout_ms === undefined ? null : now + Math.ceil(wait.timeout_ms);
  const queue = kind.signal?.(toActivityContext(run, claim.activity_id), wait);
  const stored = kind.prepare ? { ...wait, args: null } : wait;
  await insertWait(tx, store.sealer, run, claim.activity_id, stored, {
    substate: kind.substate,
    topic: queue === undefined ? '' : textKey('signal', queue),
    seq: await takeSeq(tx, run),
    epoch: claim.epoch,
    now,
    deadline,
  });
  await kind.arm?.(tx, toActivityContext(run, claim.activity_id), wait);
  if (deadline !== null) tx.afterCommit(() => store.wakeups.timer(deadline));
}

/** Adds an activity that waits for one of the things that can end the wait of its parent. */
async function armBranch(
  tx: Transaction,
  store: StoreContext,
  run: LockedRun,
  parent: string,
  { name, wait: request }: WaitBranch,
): Promise<void> {
  const now = store.database.now();
  const wait: ArmWait = { ...request, position: 0, ordinal: 0, digest: '', started_at: now };
  checkCall(wait);
  const kind = store.wait_kinds.get(wait.kind);
  if (!kind) throw Errors.invalidRequest(`there is no wait of kind ${wait.kind}`);
  if (run.trusted === 0) {
    const beyond = await countCalls(tx, store.limits, run.run_id, [{ bytes: callBytes(wait) }]);
    if (beyond) throw beyond;
  }
  const activity_id = store.ids.next('act');
  const parked = {
    activity_id,
    name,
    executor: NO_EXECUTOR,
    spec: 'null',
    lane: BRANCH_QUEUE,
    state: 'parked',
    parent,
  };
  await insertActivities(tx, [activityRow(parked, run, now)]);
  await armWait(tx, store, run, kind, { activity_id, epoch: NO_CLAIM }, wait);
}

/** Marks the activities of `WaitKind.firstOf`. No queue has this name. */
export const BRANCH_QUEUE = 'first-of';

/** claimed → parked. The last step of its transaction. */
export async function setParked(tx: Transaction, store: StoreContext, run: LockedRun, claim: ClaimRef): Promise<void> {
  store.spans?.passEnded(tx, claim, 'parked');
  await writeExactly(
    tx,
    1,
    `UPDATE runs_activities SET state = 'parked', deadline = NULL, agent_id = NULL
     WHERE activity_id = ? AND state = 'claimed' AND epoch = ?`,
    [claim.activity_id, claim.epoch],
  );
  tx.skipConflictGuard(ACTIVITY.table, [[claim.activity_id]]);
  const next = await readNextStatus(tx, run.run_id);
  if (next) await setStatus(tx, run, next.status);
  if (next?.status === 'waiting') await notifyWorkObservers(tx, store, [{ run, working: next.working }]);
  tx.afterCommit(() => store.wakeups.run(run.run_id, { project_id: run.project_id, part: 'run' }));
}
/** The errors of nodes whose wait ended with these exit codes. */
const FAILURES: Readonly<Record<number, string>> = { 124: 'wait_timeout', [REJECTED_EXIT_CODE]: 'rejected' };

/**
 * Adds an activity that is parked from the start. Its only wait belongs to no claim (`NO_CLAIM`), and the activity ends with
 * the wait. Answers its end if the wait is resolved at once.
 */
export async function addWaiting(
  tx: Transaction,
  store: StoreContext,
  run: LockedRun,
  { activity_id, name, parent, wait: request }: WaitingActivity,
): Promise<ActivityEnd | undefined> {
  const now = store.database.now();
  const wait: ArmWait = { ...request, position: 0, ordinal: 0, digest: '', started_at: now };
  checkCall(wait);
  const kind = store.wait_kinds.get(wait.kind);
  if (!kind) throw Errors.invalidRequest(`there is no wait of kind ${wait.kind}`);
  const { run_id, org_id, project_id } = run;
  const parked = { activity_id, name, executor: NO_EXECUTOR, spec: 'null', lane: '', state: 'parked', parent };
  await insertActivities(tx, [activityRow(parked, run, now)]);
  const claim = { activity_id, epoch: NO_CLAIM };
  const outcome = await tryResolveNow(tx, kind, run, claim, wait, now);
  if (!outcome) {
    await armWait(tx, store, run, kind, claim, wait);
    return undefined;
  }
  checkOutcome(outcome, MAX_WAIT_OUTPUT_BYTES);
  const place = { run_id, org_id, project_id, activity_id };
  await insertRecords(tx, [sealRecord(store.sealer, place, NO_CLAIM, recordOf(wait, outcome))], now, store);
  return endWaiting(tx, store, place, { name, parent: parent ?? null }, outcome);
}

/** parked → done | failed, with the outcome of its wait. */
export async function endWaiting(
  tx: Transaction,
  store: StoreContext,
  place: { run_id: string; org_id: string; project_id: string; activity_id: string },
  { name, parent }: { name: string; parent: string | null },
  outcome: WaitOutcome,
): Promise<ActivityEnd> {
  const result = toCompletion(outcome);
  await endActivities(tx, store, 'parked', [{ place, completion: result }]);
  return { activity_id: place.activity_id, parent, name, executor: NO_EXECUTOR, result };
}

function toCompletion({ exit_code, output, message }: WaitOutcome): Completion {
  if (exit_code === 0) return { status: 'succeeded', output: jsonOrText(output.toString()) };
  const code = FAILURES[exit_code] ?? 'wait_failed';
  return { status: 'failed', code, message: message ?? `the wait ended with exit code ${exit_code}`, exit_code };
}

/** Most waits print JSON. Any other text is stored as a string. */
function jsonOrText(text: string): Json {
  const printed = text.replace(/\n$/, '');
  if (printed === '') return null;
  try {
    return parseJson(printed);
  } catch {
    return printed;
  }
}
