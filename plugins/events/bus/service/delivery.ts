import { type Database, distinct, failpoint, isServiceError, type Sealer } from '../../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import type { RunStore, WaitOutcome, WaitRef, WaitResolver } from '../../../engine/runs/contract.ts';
import type { EventBus, ProjectScope } from '../contract.ts';
import { type MatchedCancel, listMatchedCancels, completeCancel } from '../store/cancels.ts';
import { inheritMasks } from '../store/emitters.ts';
import { listMatchedWaits, completeWaits } from '../store/waits.ts';
import { unreadableOutcome, eventOutcome } from '../verbs/event-wait.ts';

/**
 * Waits in one transaction. The batch doubles up to the maximum: the first runs become claimable early, and thousands
 * of waits take few commits without blocking other writers for long.
 */
const FIRST_BATCH = 128;
const MAX_BATCH = 512;
/** Maximum bytes of records written in one transaction. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** Number of runs cancelled in parallel. */
const PARALLEL_CANCELS = 8;

export interface DeliveryDeps {
  database: Database;
  sealer: Sealer;
  bus: Pick<EventBus, 'read'>;
  resolver: WaitResolver;
  masks: Pick<RunMasks, 'inherit'>;
  runs: Pick<RunStore, 'cancelRun'>;
}

type MatchedWait = WaitRef & ProjectScope & { event_id: string };

export interface RoundOptions {
  /** Processes runs from last to first, so that two servers meet in the middle. */
  backwards: boolean;
  isStopped(): boolean;
  /** Called for an item that was skipped and is left to the next round. */
  onFailure(error: unknown): void;
  onDelivered(reaction: 'wait' | 'cancel', count: number): void;
}

/**
 * Delivers everything that was matched and returns how many items it found. Throws when the database is unavailable.
 */
export async function deliverAll(deps: DeliveryDeps, options: RoundOptions): Promise<number> {
  return (await deliverWaits(deps, options)) + (await deliverCancels(deps, options));
}

async function deliverWaits(deps: DeliveryDeps, options: RoundOptions): Promise<number> {
  let count = 0;
  let after: MatchedWait | undefined;
  for (let limit = FIRST_BATCH; !options.isStopped(); limit = Math.min(limit * 2, MAX_BATCH)) {
    const batch: MatchedWait[] = await listMatchedWaits(deps.database, after, limit, options.backwards);
    if (batch.length === 0) break;
    count += batch.length;
    await deliverBatch(deps, options, batch);
    after = batch.at(-1);
    if (batch.length < limit) break;
  }
  return count;
}

/**
 * Ends a batch in as few transactions as the byte limit allows. If a transaction fails, its waits are retried one by
 * one.
 */
async function deliverBatch(deps: DeliveryDeps, options: RoundOptions, batch: readonly MatchedWait[]): Promise<void> {
  for (const org_id of distinct(batch, (wait) => wait.org_id)) await deps.sealer.prepare(org_id);
  let known: ReadonlyMap<string, WaitOutcome> = new Map();
  for (let from = 0; from < batch.length && !options.isStopped(); ) {
    const { waits, outcomes } = await nextSlice(deps, batch, from, known);
    known = outcomes;
    from += waits.length;
    try {
      options.onDelivered('wait', await endWaits(deps, waits, outcomes));
    } catch (error) {
      if (isServiceError(error) && error.status >= 500) throw error;
      await deliverSingly(deps, options, waits, outcomes);
    }
  }
}

async function deliverSingly(
  deps: DeliveryDeps,
  options: RoundOptions,
  waits: readonly MatchedWait[],
  outcomes: ReadonlyMap<string, WaitOutcome>,
): Promise<void> {
  for (const wait of waits) {
    try {
      options.onDelivered('wait', await endWaits(deps, [wait], outcomes));
    } catch (error) {
      if (isServiceError(error) && error.status >= 500) throw error;
      options.onFailure(error);
    }
  }
}

/**
 * Returns the next waits whose records fit into one transaction, with the outcomes that end them. `known` has those of the slice
 * before it, so that an event that many waits share is read once.
 */
async function nextSlice(
  deps: DeliveryDeps,
  batch: readonly MatchedWait[],
  from: number,
  known: ReadonlyMap<string, WaitOutcome>,
) {
  const outcomes = new Map<string, WaitOutcome>();
  const waits: MatchedWait[] = [];
  let bytes = 0;
  for (const wait of batch.slice(from)) {
    const outcome = outcomes.get(wait.event_id) ?? known.get(wait.event_id) ?? (await readOutcome(deps, wait));
    bytes += outcome.output.length;
    if (waits.length > 0 && bytes > BATCH_BYTES) break;
    outcomes.set(wait.event_id, outcome);
    waits.push(wait);
  }
  return { waits, outcomes };
}

/** When an event cannot be opened, its waits fail; otherwise they would never end. */
async function readOutcome(deps: DeliveryDeps, wait: MatchedWait): Promise<WaitOutcome> {
  try {
    const event = await deps.bus.read(wait, wait.event_id);
    return event ? eventOutcome(event) : unreadableOutcome(wait.event_id, 'the event is no longer stored');
  } catch (error) {
    if (!isServiceError(error, 'sealed_value_unreadable')) throw error;
    return unreadableOutcome(wait.event_id, error.message);
  }
}

/** Ends waits in one transaction and returns how many; the others had already ended. */
async function endWaits(
  deps: DeliveryDeps,
  waits: readonly MatchedWait[],
  outcomes: ReadonlyMap<string, WaitOutcome>,
): Promise<number> {
  const outcome = outcomeLookup(waits, outcomes);
  const ended = await deps.database.transaction(async (tx) => {
    const resolved = await deps.resolver.resolveAll(tx, waits, outcome);
    const [ended_here, ended_elsewhere] = partitionByEnded(waits, resolved);
    await inheritMasks(tx, deps.masks, ended_here);
    await completeWaits(tx, ended_here, 'delivered');
    await completeWaits(tx, ended_elsewhere, 'missed');
    return ended_here.length;
  });
  failpoint('bus.delivered');
  return ended;
}

const waitKey = ({ run_id, activity_id, position }: WaitRef): string => `${run_id} ${activity_id} ${position}`;

/** Thousands of waits usually share one event, so the lookup by event is built only when there are several. */
function outcomeLookup(waits: readonly MatchedWait[], outcomes: ReadonlyMap<string, WaitOutcome>) {
  const [only, ...others] = outcomes.values();
  if (only && others.length === 0) return () => only;
  const events = new Map(waits.map((wait) => [waitKey(wait), wait.event_id]));
  return (wait: WaitRef) => outcomes.get(events.get(waitKey(wait))!)!;
}

/** Splits the waits into those that were ended here and the others. */
function partitionByEnded(waits: readonly MatchedWait[], ended: readonly WaitRef[]): [MatchedWait[], MatchedWait[]] {
  if (ended.length === waits.length) return [[...waits], []];
  const names = new Set(ended.map(waitKey));
  return [waits.filter((wait) => names.has(waitKey(wait))), waits.filter((wait) => !names.has(waitKey(wait)))];
}

async function deliverCancels(deps: DeliveryDeps, options: RoundOptions): Promise<number> {
  let count = 0;
  for (let after: MatchedCancel | undefined; !options.isStopped(); ) {
    const batch: MatchedCancel[] = await listMatchedCancels(deps.database, after, PARALLEL_CANCELS);
    if (batch.length === 0) break;
    count += batch.length;
    await Promise.all(batch.map((cancel) => deliverCancel(deps, options, cancel)));
    after = batch.at(-1);
    if (batch.length < PARALLEL_CANCELS) break;
  }
  return count;
}

async function deliverCancel(deps: DeliveryDeps, options: RoundOptions, cancel: MatchedCancel): Promise<void> {
  try {
    const cancelled = await cancelRun(deps, cancel);
    const recorded_here = await completeCancel(deps.database, cancel, cancelled ? 'delivered' : 'missed');
    failpoint('bus.delivered');
    if (cancelled && recorded_here) options.onDelivered('cancel', 1);
  } catch (error) {
    options.onFailure(error);
  }
}

/** Returns false when the run has already ended or does not exist. */
async function cancelRun(
  deps: DeliveryDeps,
  { org_id, project_id, run_id, type, event_id }: MatchedCancel,
): Promise<boolean> {
  const reason = `cancelled by the event ${type} (${event_id})`;
  try {
    const cancelled_by = { event: event_id, type };
    const run = await deps.runs.cancelRun({ org_id, project_id, run_id, reason, cancelled_by });
    return run.cancelled_by?.event === event_id;
  } catch (error) {
    if (isServiceError(error, 'run_finished') || isServiceError(error, 'not_found')) return false;
    throw error;
  }
}
