import { Errors, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ActivityEnd, ArmWait, Completion, Json, WaitingActivity, WaitOutcome } from '../contract.ts';
import { MAX_WAIT_OUTPUT_BYTES } from '../contract.ts';
import { checkOutcome, checkCall } from '../domain/record-rules.ts';
import { writeEnds } from './activities.ts';
import { activityRow, insertActivities } from './activity-rows.ts';
import { insertRecords, recordOf, sealRecord } from './journal.ts';
import { armWait, outcomeNow } from './park.ts';
import type { StoreParts } from './parts.ts';
import type { LockedRun } from './run-columns.ts';
import { parseJson } from './run-rows.ts';

/** The executor name of an activity without an agent. */
export const NO_EXECUTOR = 'none';
/** The epoch of a wait without a claim: its activity ends with it. */
export const NO_CLAIM = 0;
/** Exit code of a wait that timed out. */
const TIMED_OUT = 124;

/**
 * An activity that is parked from the start. Its only wait belongs to no claim (`NO_CLAIM`), and it ends with that
 * wait. Answers the result when the wait is resolved already.
 */
export async function addWaiting(
  tx: Transaction,
  store: StoreParts,
  run: LockedRun,
  { activity_id, name, parent, wait: asked }: WaitingActivity,
): Promise<ActivityEnd | undefined> {
  const now = store.database.now();
  const wait: ArmWait = { ...asked, position: 0, ordinal: 0, digest: '', started_at: now };
  checkCall(wait);
  const kind = store.wait_kinds.get(wait.kind);
  if (!kind) throw Errors.invalidRequest(`there is no wait of kind ${wait.kind}`);
  const { run_id, org_id, project_id } = run;
  const parked = { activity_id, name, executor: NO_EXECUTOR, spec: 'null', lane: '', state: 'parked', parent };
  await insertActivities(tx, [activityRow(parked, run, now)]);
  const claim = { activity_id, epoch: NO_CLAIM };
  const outcome = await outcomeNow(tx, kind, run, claim, wait, now);
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
  store: StoreParts,
  place: { run_id: string; org_id: string; project_id: string; activity_id: string },
  { name, parent }: { name: string; parent: string | null },
  outcome: WaitOutcome,
): Promise<ActivityEnd> {
  const result = completionOf(outcome);
  await writeEnds(tx, store, 'parked', [{ place, completion: result }]);
  return { activity_id: place.activity_id, parent, name, executor: NO_EXECUTOR, result };
}

function completionOf({ exit_code, output, message }: WaitOutcome): Completion {
  if (exit_code === 0) return { status: 'succeeded', output: jsonOrText(output.toString()) };
  const code = exit_code === TIMED_OUT ? 'wait_timeout' : 'wait_failed';
  return { status: 'failed', code, message: message ?? `the wait ended with exit code ${exit_code}`, exit_code };
}

/** Most waits print JSON; any other text stays a text. */
function jsonOrText(text: string): Json {
  const printed = text.replace(/\n$/, '');
  if (printed === '') return null;
  try {
    return parseJson(printed);
  } catch {
    return printed;
  }
}
