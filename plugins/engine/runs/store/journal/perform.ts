import { Errors, type Transaction, retryUnknownCommit } from '../../../../../kernel/contracts/index.ts';
import { type ActivityContext, type ClaimRef, jobOf, type JournaledCall, type JournalRecord } from '../../contract.ts';
import { checkCall, checkOutcome, sameSite } from '../../domain/record-rules.ts';
import { ACTIVITY, hasClaim, lockFence, claimLost, type ActivityOwner } from '../rows/activities.ts';
import {
  journalGap,
  insertRecord,
  lastPosition,
  recordConflict,
  readRecord,
  recordOf,
  sealRecord,
} from '../rows/journal.ts';
import type { StoreContext } from '../rows/context.ts';
import { callBytes, countCalls, countOutcomes } from '../rows/usage.ts';
import { toActivityContext, lockRun, readRunRows } from '../rows/runs.ts';

/** Performs a verb and records its outcome. A repeat of the call answers the record. */
export async function performCall(store: StoreContext, claim: ClaimRef, call: JournaledCall): Promise<JournalRecord> {
  checkCall(call);
  const verb = store.verbs.get(call.kind);
  if (!verb) throw Errors.invalidRequest(`the server has no verb ${call.kind}`);
  const owner = await store.owners.find(claim.activity_id);
  await store.journal_sizes.prepare(owner);
  const prepared =
    verb.prepare &&
    (await verb.prepare({ ...(await readContext(store, owner)), position: call.position }, call.args, isNew));
  async function isNew(tx: Transaction): Promise<boolean> {
    if (!hasClaim(await lockFence(tx, claim.activity_id), claim)) throw claimLost(claim);
    // The call itself locks the activity again, and writes it.
    tx.skipConflictGuard(ACTIVITY.table, [[claim.activity_id]]);
    return (await readRecordedCall(tx, store, owner, call)) === undefined;
  }

  return retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRun(tx, owner.run_id);
      const fence = await lockFence(tx, claim.activity_id);
      if (!hasClaim(fence, claim)) throw claimLost(claim);
      const recorded = await readRecordedCall(tx, store, owner, call);
      if (recorded) return recorded;
      const context = { ...toActivityContext(run, claim.activity_id), position: call.position };
      const beyond = context.trusted
        ? store.journal_sizes.checkLimit(owner.activity_id, callBytes(call))
        : await countCalls(tx, store.limits, run.run_id, [{ bytes: callBytes(call) }]);
      if (beyond) throw beyond;
      const perform = () => verb.perform(tx, context, call.args, prepared);
      const outcome = await (store.spans?.within(run, jobOf(run, fence), call, perform) ?? perform());
      checkOutcome(outcome);
      const record = recordOf(call, outcome);
      await insertRecord(tx, owner, sealRecord(store.sealer, owner, claim.epoch, record), store);
      if (!context.trusted) await countOutcomes(tx, [{ run_id: run.run_id, outcome }]);
      tx.afterCommit(() => store.journal_sizes.add(owner.activity_id, outcome.output.length));
      tx.afterCommit(() => store.wakeups.run(owner.run_id, { project_id: owner.project_id, part: 'steps' }));
      return record;
    }),
  );
}

/** The context of a preparation, outside of a transaction. Nothing in it ever changes. */
export async function readContext(
  store: StoreContext,
  { run_id, activity_id }: ActivityOwner,
): Promise<ActivityContext> {
  const [run] = await readRunRows(store.database, [run_id]);
  if (!run) throw Errors.notFound(`there is no run ${run_id}`);
  return toActivityContext(run, activity_id);
}

/**
 * The record at a call's position, or nothing when the call is the next one. Throws `journal_conflict` otherwise. The
 * activity must be locked.
 */
export async function readRecordedCall(
  tx: Transaction,
  store: StoreContext,
  owner: ActivityOwner,
  call: Omit<JournaledCall, 'args'>,
): Promise<JournalRecord | undefined> {
  const last = await lastPosition(tx, owner);
  if (call.position === last + 1) return undefined;
  if (call.position > last) throw journalGap(owner, call.position, last);
  const record = await readRecord(tx, store.sealer, owner, call.position);
  if (!record || !sameSite(record, call)) throw recordConflict(owner, call.position);
  return record;
}
