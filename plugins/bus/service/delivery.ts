import { type Database, distinct, failpoint, isServiceError, type Sealer } from '../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../masking/contract.ts';
import type { RunStore, WaitOutcome, WaitRef, WaitResolver } from '../../runs/contract.ts';
import type { EventBus, ProjectScope } from '../contract.ts';
import { type FiredCancel, firedCancels, settleCancel } from '../store/cancels.ts';
import { inheritMasks } from '../store/emitters.ts';
import { firedWaits, settleWaits } from '../store/waits.ts';
import { goneOutcome, outcomeOf } from '../verbs/event-wait.ts';

/**
 * Waits in one transaction. The number doubles up to the maximum: the first runs can be claimed soon, and thousands
 * take few commits without blocking other writers for long.
 */
const FIRST_BATCH = 128;
const MAX_BATCH = 512;
/** Bytes of the records in one transaction. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** Runs that are cancelled in parallel. */
const CANCELS = 8;

export interface DeliveryParts {
  database: Database;
  sealer: Sealer;
  bus: Pick<EventBus, 'read'>;
  resolver: WaitResolver;
  masks: Pick<RunMasks, 'inherit'>;
  runs: Pick<RunStore, 'cancelRun'>;
}

type FiredWait = WaitRef & ProjectScope & { event_id: string };

export interface PassRules {
  /** Works from the last run to the first, so that two servers meet in the middle. */
  backwards: boolean;
  stopped(): boolean;
  /** Something was skipped and is left to the next pass. */
  failed(error: unknown): void;
  delivered(reaction: 'wait' | 'cancel', count: number): void;
}

/** One pass over everything that was fired. Answers how much there was. Throws when the database does not answer. */
export async function deliverAll(parts: DeliveryParts, rules: PassRules): Promise<number> {
  return (await deliverWaits(parts, rules)) + (await deliverCancels(parts, rules));
}

async function deliverWaits(parts: DeliveryParts, rules: PassRules): Promise<number> {
  let found = 0;
  let after: FiredWait | undefined;
  for (let most = FIRST_BATCH; !rules.stopped(); most = Math.min(most * 2, MAX_BATCH)) {
    const batch: FiredWait[] = await firedWaits(parts.database, after, most, rules.backwards);
    if (batch.length === 0) break;
    found += batch.length;
    await deliverBatch(parts, rules, batch);
    after = batch.at(-1);
    if (batch.length < most) break;
  }
  return found;
}

/** Ends a batch in as few transactions as its bytes allow. When one fails, its waits are tried one by one. */
async function deliverBatch(parts: DeliveryParts, rules: PassRules, batch: readonly FiredWait[]): Promise<void> {
  for (const org_id of distinct(batch, (wait) => wait.org_id)) await parts.sealer.prepare(org_id);
  for (let from = 0; from < batch.length && !rules.stopped(); ) {
    const { waits, outcomes } = await nextSlice(parts, batch, from);
    from += waits.length;
    try {
      rules.delivered('wait', await endWaits(parts, waits, outcomes));
    } catch (error) {
      if (isServiceError(error) && error.status >= 500) throw error;
      await deliverSingly(parts, rules, waits, outcomes);
    }
  }
}

async function deliverSingly(
  parts: DeliveryParts,
  rules: PassRules,
  waits: readonly FiredWait[],
  outcomes: ReadonlyMap<string, WaitOutcome>,
): Promise<void> {
  for (const wait of waits) {
    try {
      rules.delivered('wait', await endWaits(parts, [wait], outcomes));
    } catch (error) {
      if (isServiceError(error) && error.status >= 500) throw error;
      rules.failed(error);
    }
  }
}

/** The next waits whose records fit, with the events that end them. */
async function nextSlice(parts: DeliveryParts, batch: readonly FiredWait[], from: number) {
  const outcomes = new Map<string, WaitOutcome>();
  const waits: FiredWait[] = [];
  let bytes = 0;
  for (const wait of batch.slice(from)) {
    const outcome = outcomes.get(wait.event_id) ?? (await readOutcome(parts, wait));
    bytes += outcome.output.length;
    if (waits.length > 0 && bytes > BATCH_BYTES) break;
    outcomes.set(wait.event_id, outcome);
    waits.push(wait);
  }
  return { waits, outcomes };
}

/** When an event does not open, its waits fail: otherwise they would wait without end. */
async function readOutcome(parts: DeliveryParts, wait: FiredWait): Promise<WaitOutcome> {
  try {
    const event = await parts.bus.read(wait, wait.event_id);
    return event ? outcomeOf(event) : goneOutcome(wait.event_id, 'the event is no longer stored');
  } catch (error) {
    if (!isServiceError(error, 'sealed_value_unreadable')) throw error;
    return goneOutcome(wait.event_id, error.message);
  }
}

/** One transaction. Answers how many waits it ended; the others had an outcome before. */
async function endWaits(
  parts: DeliveryParts,
  waits: readonly FiredWait[],
  outcomes: ReadonlyMap<string, WaitOutcome>,
): Promise<number> {
  const outcome = outcomeBy(waits, outcomes);
  const ended = await parts.database.transaction(async (tx) => {
    const resolved = await parts.resolver.resolveAll(tx, waits, outcome);
    const [ours, others] = partBy(waits, resolved);
    await inheritMasks(tx, parts.masks, ours);
    await settleWaits(tx, ours, 'delivered');
    await settleWaits(tx, others, 'missed');
    return ours.length;
  });
  failpoint('bus.delivered');
  return ended;
}

const nameOf = ({ run_id, activity_id, position }: WaitRef): string => `${run_id} ${activity_id} ${position}`;

/** Thousands of waits usually share one event, so the index by event is built only for several events. */
function outcomeBy(waits: readonly FiredWait[], outcomes: ReadonlyMap<string, WaitOutcome>) {
  const [only, ...more] = outcomes.values();
  if (only && more.length === 0) return () => only;
  const events = new Map(waits.map((wait) => [nameOf(wait), wait.event_id]));
  return (wait: WaitRef) => outcomes.get(events.get(nameOf(wait))!)!;
}

/** The waits that were ended, and those that were not. */
function partBy(waits: readonly FiredWait[], ended: readonly WaitRef[]): [FiredWait[], FiredWait[]] {
  if (ended.length === waits.length) return [[...waits], []];
  const names = new Set(ended.map(nameOf));
  return [waits.filter((wait) => names.has(nameOf(wait))), waits.filter((wait) => !names.has(nameOf(wait)))];
}

async function deliverCancels(parts: DeliveryParts, rules: PassRules): Promise<number> {
  let found = 0;
  for (let after: FiredCancel | undefined; !rules.stopped(); ) {
    const batch: FiredCancel[] = await firedCancels(parts.database, after, CANCELS);
    if (batch.length === 0) break;
    found += batch.length;
    await Promise.all(batch.map((cancel) => deliverCancel(parts, rules, cancel)));
    after = batch.at(-1);
    if (batch.length < CANCELS) break;
  }
  return found;
}

async function deliverCancel(parts: DeliveryParts, rules: PassRules, cancel: FiredCancel): Promise<void> {
  try {
    const done = await cancelBy(parts, cancel);
    const ours = await settleCancel(parts.database, cancel, done ? 'delivered' : 'missed');
    failpoint('bus.delivered');
    if (done && ours) rules.delivered('cancel', 1);
  } catch (error) {
    rules.failed(error);
  }
}

/** False when the run had ended before, or does not exist. */
async function cancelBy(
  parts: DeliveryParts,
  { org_id, project_id, run_id, type, event_id }: FiredCancel,
): Promise<boolean> {
  const reason = `cancelled by the event ${type} (${event_id})`;
  try {
    const cancelled_by = { event: event_id, type };
    const run = await parts.runs.cancelRun({ org_id, project_id, run_id, reason, cancelled_by });
    return run.cancelled_by?.event === event_id;
  } catch (error) {
    if (isServiceError(error, 'run_finished') || isServiceError(error, 'not_found')) return false;
    throw error;
  }
}
