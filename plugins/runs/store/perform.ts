import { Errors, type Transaction, retryUnknownCommit } from '../../../kernel/contracts/index.ts';
import { type ActivityContext, type ClaimRef, jobOf, type JournaledCall, type JournalRecord } from '../contract.ts';
import { checkCall, checkOutcome, sameSite } from '../domain/record-rules.ts';
import { ACTIVITY, holds, lockFence, lost } from './activity-rows.ts';
import { gap, insertRecord, lastPosition, otherRecord, readRecord, recordOf, sealRecord } from './journal.ts';
import type { StoreParts } from './parts.ts';
import type { ActivityOwner } from './activity-owners.ts';
import { bytesOfCall, countCalls, countOutcomes } from './untrusted-runs.ts';
import { contextOf, lockRun, readRunRows } from './run-rows.ts';

/** Performs a verb and records it; or answers the record that a repeat of the call finds. */
export async function performCall(store: StoreParts, claim: ClaimRef, call: JournaledCall): Promise<JournalRecord> {
  checkCall(call);
  const verb = store.verbs.get(call.kind);
  if (!verb) throw Errors.invalidRequest(`there is no verb ${call.kind} that the server performs`);
  const owner = await store.owners.of(claim.activity_id);
  const prepared =
    verb.prepare &&
    (await verb.prepare({ ...(await contextAhead(store, owner)), position: call.position }, call.args, fresh));
  async function fresh(tx: Transaction): Promise<boolean> {
    if (!holds(await lockFence(tx, claim.activity_id), claim)) throw lost(claim);
    // The call itself looks again, and writes the activity.
    tx.settled(ACTIVITY.table, [[claim.activity_id]]);
    return (await recordedAt(tx, store, owner, call)) === undefined;
  }

  return retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRun(tx, owner.run_id);
      const fence = await lockFence(tx, claim.activity_id);
      if (!holds(fence, claim)) throw lost(claim);
      const recorded = await recordedAt(tx, store, owner, call);
      if (recorded) return recorded;
      const context = { ...contextOf(run, claim.activity_id), position: call.position };
      if (!context.trusted) {
        const beyond = await countCalls(tx, store.limits, run.run_id, [{ bytes: bytesOfCall(call) }]);
        if (beyond) throw beyond;
      }
      const perform = () => verb.perform(tx, context, call.args, prepared);
      const outcome = await (store.spans?.within(run, jobOf(run, fence), call, perform) ?? perform());
      checkOutcome(outcome);
      const record = recordOf(call, outcome);
      await insertRecord(tx, owner, sealRecord(store.sealer, owner, claim.epoch, record), store);
      if (!context.trusted) await countOutcomes(tx, [{ run_id: run.run_id, outcome }]);
      tx.afterCommit(() => store.wakeups.run(owner.run_id, { project_id: owner.project_id, part: 'steps' }));
      return record;
    }),
  );
}

/** The facts for a preparation; they never change. */
export async function contextAhead(
  store: StoreParts,
  { run_id, activity_id }: ActivityOwner,
): Promise<ActivityContext> {
  const [run] = await readRunRows(store.database, [run_id]);
  if (!run) throw Errors.notFound(`there is no run ${run_id}`);
  return contextOf(run, activity_id);
}

/**
 * The record at a call's position, or nothing when the call is the next one. Throws `journal_conflict` otherwise. The
 * activity must be locked.
 */
export async function recordedAt(
  tx: Transaction,
  store: StoreParts,
  owner: ActivityOwner,
  call: Omit<JournaledCall, 'args'>,
): Promise<JournalRecord | undefined> {
  const last = await lastPosition(tx, owner);
  if (call.position === last + 1) return undefined;
  if (call.position > last) throw gap(owner, call.position, last);
  const record = await readRecord(tx, store.sealer, owner, call.position);
  if (!record || !sameSite(record, call)) throw otherRecord(owner, call.position);
  return record;
}
