import type { Log, ServiceError, Transaction } from '../../../../kernel/contracts/index.ts';
import type {
  Delivery,
  EventReaction,
  PendingEvent,
  PredicateEvaluator,
  PredicateResult,
  ProjectScope,
  StoredEvent,
} from '../../bus/contract.ts';
import { generationReason, MAX_IN_FLIGHT, RETRY_MS } from '../domain/ceilings.ts';
import { hasSlot, type Load, usedSlots, countImmediateStarts, waitingReason, addRuns } from '../domain/capacity.ts';
import { toStartEvent } from '../domain/start.ts';
import { computeFlow, type Flow, listExpressions, maxWaiting } from '../domain/flow.ts';
import { fairGroupOf, sortTimeOf } from '../domain/order.ts';
import { decideHandler, type HandlerDecision } from '../domain/decision.ts';
import { BLOCKED } from '../domain/gates.ts';
import { type Failure, toDeadLetter } from '../domain/dead-letters.ts';
import { HandlerErrors } from '../errors.ts';
import { addCounts, countQueuedByName } from '../store/counts.ts';
import { insertDeadLetters } from '../store/dead-letters.ts';
import { countInFlight, readCapacity } from '../store/open-runs.ts';
import { enqueue, type QueuedDelivery, readLastSortTimes } from '../store/queue.ts';
import { admit, type Start } from './admission.ts';
import { recordPasses } from './gates.ts';
import type { RegisteredHandler, Registry } from './registry.ts';
import { admitAndFill, type EndDeps, endedHandlerRun, fillSlots, freeSlots, type SlotDeps } from './slots.ts';
import { startRuns } from './starter.ts';

export interface ReactionDeps extends SlotDeps, EndDeps {
  registry: Registry;
  log: Log;
}

/** A handler that matches an event, with what happens to it. */
interface PlannedHandler {
  name: string;
  decision: HandlerDecision;
  /** Set if the handler has options; deliveries that cannot start wait then. */
  flow?: Flow;
}

type Plan = readonly PlannedHandler[];
type Decision = { refused: ServiceError } | { plan: Plan | undefined };

/** Starts that have to find a slot at once; the options of a handler let them wait instead. */
const countUnlimited = (plan: Plan): number =>
  plan.filter(({ decision, flow }) => decision.outcome === 'start' && flow === undefined).length;

const countStarts = (plan: Plan): number => plan.filter(({ decision: verdict }) => verdict.outcome === 'start').length;

/**
 * Starts the handlers that an event matches, within the limits. Events that cannot be refused wait for a slot
 * instead.
 */
export function handlerReaction(deps: ReactionDeps): EventReaction<Plan> {
  return {
    name: 'handlers',
    precedence: 100,
    predicates: (event) => (event.withheld ? [] : listPredicates(deps.registry.lastRead(event).match(event.type))),
    expressions: (event, results) =>
      event.withheld ? [] : listFlowExpressions(deps.registry.lastRead(event).match(event.type), event, results),
    decide: (tx, scope, events, evaluator) => decide(deps, tx, scope, events, evaluator),
    apply: (tx, scope, planned) => apply(deps, tx, scope, planned),
  };
}

async function decide(
  deps: ReactionDeps,
  tx: Transaction,
  scope: ProjectScope,
  events: readonly PendingEvent[],
  evaluator: PredicateEvaluator,
): Promise<Decision[]> {
  const index = await deps.registry.indexOf(tx, scope);
  await freeSlots(deps, tx, scope, events);
  const plans: (Plan | undefined)[] = [];
  for (const event of events) {
    const matching = event.withheld ? [] : index.match(event.type);
    const empty_plan = endedHandlerRun(event) === undefined ? undefined : [];
    plans.push(matching.length === 0 ? empty_plan : planHandlers(deps, matching, event, evaluator));
  }
  const starts = plans.reduce((sum, plan) => sum + countUnlimited(plan ?? []), 0);
  const waiting = await countWaiting(tx, scope, events, plans);
  const needsUntrustedSlot = (event: PendingEvent, plan: Plan | undefined) =>
    event.refusable && !event.trusted && countStarts(plan ?? []) > 0;
  const untrusted_rejection = events.some((event, at) => needsUntrustedSlot(event, plans[at]))
    ? await deps.creation().untrustedRefusal(tx, scope)
    : undefined;
  const max_untrusted = deps.limits.project.untrusted.handlers;
  let load: Load = starts > 0 ? await countInFlight(tx, scope, max_untrusted) : { all: 0, untrusted: 0, parked: 0 };
  const decisions: Decision[] = [];
  for (const [at, event] of events.entries()) {
    const plan = plans[at];
    const rejection =
      plan && event.refusable
        ? ((needsUntrustedSlot(event, plan) ? untrusted_rejection : undefined) ??
          findFullQueue(event, plan, waiting) ??
          findRejection(event, plan, load, max_untrusted) ??
          (await countPlan(deps, tx, event, plan)))
        : undefined;
    decisions.push(rejection ? { refused: rejection } : { plan });
    if (plan && !rejection)
      load = addRuns(
        load,
        event.trusted,
        countImmediateStarts(load, max_untrusted, event.trusted, countUnlimited(plan)),
      );
  }
  return decisions;
}

/** The deliveries of each handler that already wait, by trust. */
interface Waiting {
  trusted: Map<string, number>;
  untrusted: Map<string, number>;
}

const waitingWith = (waiting: Waiting, { trusted }: Pick<PendingEvent, 'trusted'>): Map<string, number> =>
  trusted ? waiting.trusted : waiting.untrusted;

/** Counts what already waits for the handlers with options that emits would start. */
async function countWaiting(
  tx: Transaction,
  scope: ProjectScope,
  events: readonly PendingEvent[],
  plans: readonly (Plan | undefined)[],
): Promise<Waiting> {
  const count = (trusted: boolean) => {
    const limited = plans.flatMap((plan, at) =>
      events[at]!.refusable && events[at]!.trusted === trusted
        ? (plan ?? []).flatMap(({ name, flow }) => (flow ? [name] : []))
        : [],
    );
    return countQueuedByName(tx, scope, [...new Set(limited)], trusted);
  };
  return { trusted: await count(true), untrusted: await count(false) };
}

/**
 * Counts the start, and returns the error of an emit for whose handler too many deliveries wait. Untrusted deliveries have a share
 * of their own, so that outsiders cannot make emits of trusted events fail.
 */
function findFullQueue(event: PendingEvent, plan: Plan, all_waiting: Waiting): ServiceError | undefined {
  const waiting = waitingWith(all_waiting, event);
  const limited = plan.filter(({ flow }) => flow !== undefined);
  const maxOf = ({ flow }: PlannedHandler) => maxWaiting(flow!.options, event.trusted);
  const full = limited.find((handler) => (waiting.get(handler.name) ?? 0) >= maxOf(handler));
  if (full)
    return HandlerErrors.handlersInFlight(
      `${maxOf(full)} ${event.trusted ? '' : 'untrusted '}deliveries of the handler ${full.name} wait, which is the most`,
      { retryAfterMs: RETRY_MS },
    );
  for (const { name } of limited) waiting.set(name, (waiting.get(name) ?? 0) + 1);
  return undefined;
}

/** Charges an untrusted emitting run for the deliveries that its event stores, whether started, queued or declined. */
const countPlan = (deps: ReactionDeps, tx: Transaction, event: PendingEvent, plan: Plan) => {
  if (event.trusted || event.source !== 'emit' || plan.length === 0) return undefined;
  const runs = countStarts(plan);
  return deps.creation().countStarted(tx, event.source_name, runs, plan.length - runs);
};

const listPredicates = (handlers: readonly RegisteredHandler[]): string[] =>
  handlers.flatMap(({ predicate }) => predicate ?? []);

/** Returns the expressions of the options of handlers that start. */
function listFlowExpressions(
  matching: readonly RegisteredHandler[],
  event: PendingEvent,
  results: ReadonlyMap<string, PredicateResult>,
): string[] {
  const starting = matching.filter(
    (handler) => handler.options && decideBy(results, handler, event).outcome === 'start',
  );
  return starting.flatMap(({ options }) => listExpressions(options!));
}

const decideBy = (
  results: ReadonlyMap<string, PredicateResult>,
  handler: RegisteredHandler,
  event: PendingEvent,
): HandlerDecision => decideHandler((predicate) => results.get(predicate)!, handler, event);

function planHandlers(
  deps: ReactionDeps,
  matching: readonly RegisteredHandler[],
  event: PendingEvent,
  evaluator: PredicateEvaluator,
): Plan {
  const plan: PlannedHandler[] = [];
  const results = evaluator.evaluate(event, listPredicates(matching));
  const values = evaluator.compute(event, listFlowExpressions(matching, event, results));
  for (const handler of matching) {
    let decision = decideBy(results, handler, event);
    let flow: Flow | undefined;
    if (decision.outcome === 'start' && handler.options) {
      const computed = computeFlow((source) => values.get(source)!, handler.options);
      if ('reason' in computed) decision = { outcome: 'declined', failed: true, reason: computed.reason };
      else flow = computed;
    }
    if (decision.outcome === 'declined' && decision.failed) {
      const { event_id, project_id } = event;
      const { name } = handler;
      deps.log.warn({ event_id, project_id, handler: name, reason: decision.reason }, 'a handler declined an event');
    }
    plan.push({ name: handler.name, decision, ...(flow && { flow }) });
  }
  return plan;
}

/** Returns the error that the emitter gets instead of its event being recorded, if any. */
function findRejection(event: PendingEvent, plan: Plan, load: Load, max_untrusted: number): ServiceError | undefined {
  const too_deep = plan.find(
    ({ decision: verdict }) => verdict.outcome === 'refused' && verdict.code === 'chain_too_deep',
  );
  if (too_deep)
    return HandlerErrors.chainTooDeep(
      `the event ${event.type} would start the handler ${too_deep.name}: ${generationReason(event.generation)}`,
    );
  const starts = countUnlimited(plan);
  // Runs that would wait for a slot of untrusted runs count only where no slot is free at all.
  const immediate = countImmediateStarts(load, max_untrusted, event.trusted, starts);
  if (starts === 0 || usedSlots(load) + Math.max(1, immediate) <= MAX_IN_FLIGHT) return undefined;
  // The message names the limit, because an emitter that only hears "too many now" would retry forever.
  const retry_hint = immediate > MAX_IN_FLIGHT ? '; it will be rejected until fewer handlers match it' : '';
  return HandlerErrors.handlersInFlight(
    `the event ${event.type} would start ${starts} handler runs while ${usedSlots(load)} are in flight; the limit of a project is ${MAX_IN_FLIGHT}${retry_hint}`,
    { retryAfterMs: RETRY_MS },
  );
}

async function apply(
  deps: ReactionDeps,
  tx: Transaction,
  scope: ProjectScope,
  planned: readonly { event: StoredEvent; plan: Plan }[],
): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  const starts: Start[] = [];
  const refused: Failure[] = [];
  for (const { event, plan } of planned)
    for (const { name, decision: verdict, flow } of plan) {
      const delivery = { event_id: event.event_id, reaction: 'handler', name };
      if (verdict.outcome !== 'start') {
        deliveries.push({ ...delivery, state: verdict.outcome, reason: verdict.reason });
        if (verdict.outcome === 'refused')
          refused.push({ event_id: event.event_id, type: event.type, name, reason: verdict.reason });
      } else
        starts.push({
          name,
          event: toStartEvent(event, flow?.keys),
          event_seq: event.seq,
          came_at: event.recorded_at,
          ...(flow && { flow }),
          ...(flow?.options.batch && { bytes: event.bytes ?? 0 }),
        });
    }
  const failed = planned.flatMap(({ plan }) =>
    plan.flatMap(({ name, decision: verdict }) => (verdict.outcome === 'declined' && verdict.failed ? [name] : [])),
  );
  const errors = failed.map((name) => ({ name, kind: 'predicate_errors' as const }));
  await addCounts(tx, scope, errors, deps.database.now());
  const letters = refused.map((failure) => toDeadLetter(deps.ids, failure, deps.database.now()));
  await insertDeadLetters(tx, scope, letters);
  // Deliveries that have waited longest come first.
  if (planned.some(({ event }) => endedHandlerRun(event) !== undefined))
    await (deps.registry.hasOptions(tx, scope) ? admitAndFill : fillSlots)(deps, tx, scope);
  const admitted = await admit(deps, tx, scope, starts);
  deliveries.push(...admitted.dropped);
  for (const [reason, waiting] of Map.groupBy(admitted.waiting, (one) => one.reason))
    deliveries.push(
      ...(await enqueueAll(
        deps,
        tx,
        scope,
        waiting.map(({ start }) => start),
        reason,
      )),
    );
  for (let pending: readonly Start[] = admitted.free; pending.length > 0; ) {
    const capacity = await readCapacity(tx, scope, deps.limits);
    const waiting = pending.filter(({ event }) => !hasSlot(capacity, event.trusted)).map(withoutAdmission);
    deliveries.push(...(await enqueueAll(deps, tx, scope, waiting, waitingReason(capacity))));
    pending = pending.filter(({ event }) => hasSlot(capacity, event.trusted));
    const started = await startRuns(deps, tx, scope, pending.slice(0, capacity.all), capacity);
    await recordPasses(deps, tx, scope, pending, started);
    deliveries.push(...started);
    pending = pending.slice(started.length);
  }
  return deliveries;
}

/** An untrusted delivery that waits for a slot keeps no place of its handler, which a trusted one could use. */
const withoutAdmission = (start: Start): Start =>
  start.event.trusted || start.waits?.admission === undefined
    ? start
    : { ...start, waits: { ...start.waits, blocked: BLOCKED } };

/** Gives starts their turns. Only those of handlers with options wait in fair_groups. */
async function assignOrder(
  tx: Transaction,
  scope: ProjectScope,
  starts: readonly Start[],
): Promise<(Start & QueuedDelivery)[]> {
  const fair_groups = new Set(
    starts.flatMap(({ name, flow, event }) => (flow ? [fairGroupOf(name, flow, event.trusted)] : [])),
  );
  const last =
    fair_groups.size === 0 ? new Map<string, number>() : await readLastSortTimes(tx, scope, [...fair_groups]);
  return starts.map((start) => {
    const { name, event, flow, came_at } = start;
    if (!flow) return { ...start, sort_at: came_at };
    const fair_group = fairGroupOf(name, flow, event.trusted);
    const sort_at = sortTimeOf(came_at, flow, last.get(fair_group));
    last.set(fair_group, sort_at);
    return { ...start, sort_at, fair_group };
  });
}

/** Queues deliveries until a slot is free. */
async function enqueueAll(
  deps: ReactionDeps,
  tx: Transaction,
  scope: ProjectScope,
  queued: readonly Start[],
  reason: string,
): Promise<Delivery[]> {
  await enqueue(tx, scope, await assignOrder(tx, scope, queued), deps.database.now());
  return queued.map(({ name, event: { event_id } }) => ({
    event_id,
    reaction: 'handler',
    name,
    state: 'queued',
    reason,
  }));
}
