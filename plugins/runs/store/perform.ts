import { Errors, type Transaction, settled } from '../../../kernel/contracts/index.ts';
import type { ActivityContext, ClaimRef, JournaledCall, JournalRecord } from '../contract.ts';
import { checkArgs, checkOutcome, checkSite, sameSite } from '../domain/record-rules.ts';
import { holds, lockFence, lost } from './activity-rows.ts';
import { gap, insertRecord, lastPosition, otherRecord, readRecord, recordOf, sealRecord } from './journal.ts';
import type { StoreParts } from './parts.ts';
import type { ActivityPlace } from './places.ts';
import { contextOf, lockRun, readRunRows } from './run-rows.ts';

/** Does a verb's work and records it, or answers the record that a repeat of the call finds. */
export async function performCall(store: StoreParts, claim: ClaimRef, call: JournaledCall): Promise<JournalRecord> {
  checkSite(call);
  checkArgs(call.args);
  const verb = store.verbs.get(call.kind);
  if (!verb) throw Errors.invalidRequest(`there is no verb ${call.kind} that the server performs`);
  const place = await store.places.of(claim.activity_id);
  const prepared = verb.prepare && (await verb.prepare(await contextAhead(store, place), call.args));
  return settled(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRun(tx, place.run_id);
      if (!holds(await lockFence(tx, claim.activity_id), claim)) throw lost(claim);
      const recorded = await recordedAt(tx, store, place, call);
      if (recorded) return recorded;
      const context = { ...contextOf(run, claim.activity_id), position: call.position };
      const outcome = await verb.perform(tx, context, call.args, prepared);
      checkOutcome(outcome);
      const record = recordOf(call, outcome);
      await insertRecord(tx, place, sealRecord(store.sealer, place, claim.epoch, record), store.database.now());
      tx.afterCommit(() => store.wakeups.run(place.run_id));
      return record;
    }),
  );
}

/** What a verb's preparation may know: nothing of it ever changes. */
async function contextAhead(store: StoreParts, { run_id, activity_id }: ActivityPlace): Promise<ActivityContext> {
  const [run] = await readRunRows(store.database, [run_id]);
  if (!run) throw Errors.notFound(`there is no run ${run_id}`);
  return contextOf(run, activity_id);
}

/**
 * The record at a call's position, or nothing when the call is the next. Throws `journal_conflict` when it is neither.
 * The activity must be locked.
 */
export async function recordedAt(
  tx: Transaction,
  store: StoreParts,
  place: ActivityPlace,
  call: Omit<JournaledCall, 'args'>,
): Promise<JournalRecord | undefined> {
  const last = await lastPosition(tx, place);
  if (call.position === last + 1) return undefined;
  if (call.position > last) throw gap(place, call.position, last);
  const record = await readRecord(tx, store.sealer, place, call.position);
  if (!record || !sameSite(record, call)) throw otherRecord(place, call.position);
  return record;
}
