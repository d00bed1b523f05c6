import type { Log, ServiceError, Transaction } from '../../../../kernel/contracts/index.ts';
import type {
  Delivery,
  EventReaction,
  PendingEvent,
  PredicateEvaluator,
  ProjectScope,
  StoredEvent,
} from '../../bus/contract.ts';
import { generationReason, MAX_IN_FLIGHT, RETRY_MS } from '../domain/ceilings.ts';
import { hasSlot, type Load, usedSlots, countImmediateStarts, waitingReason, addRuns } from '../domain/capacity.ts';
import { toStartEvent } from '../domain/start.ts';
import { decideHandler, type HandlerDecision } from '../domain/decision.ts';
import { HandlerErrors } from '../errors.ts';
import { addCounts } from '../store/counts.ts';
import { countInFlight, readCapacity } from '../store/open-runs.ts';
import { enqueue, type QueuedDelivery } from '../store/queue.ts';
import type { RegisteredHandler, Registry } from './registry.ts';
import { endedHandlerRun, fillSlots, freeSlots, type SlotDeps } from './slots.ts';
import { type HandlerStart, startRuns } from './starter.ts';

export interface ReactionDeps extends SlotDeps {
  registry: Registry;
  log: Log;
}

/** A handler that matches an event, with what happens to it. */
interface PlannedHandler {
  name: string;
  decision: HandlerDecision;
}

type Plan = readonly PlannedHandler[];
type Decision = { refused: ServiceError } | { plan: Plan | undefined };

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
  await freeSlots(tx, scope, events, deps.database.now());
  const plans: (Plan | undefined)[] = [];
  for (const event of events) {
    const matching = event.withheld ? [] : index.match(event.type);
    const empty_plan = endedHandlerRun(event) === undefined ? undefined : [];
    plans.push(matching.length === 0 ? empty_plan : planHandlers(deps, matching, event, evaluator));
  }
  const starts = plans.reduce((sum, plan) => sum + countStarts(plan ?? []), 0);
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
          findRejection(event, plan, load, max_untrusted) ??
          (await countPlan(deps, tx, event, plan)))
        : undefined;
    decisions.push(rejection ? { refused: rejection } : { plan });
    if (plan && !rejection)
      load = addRuns(load, event.trusted, countImmediateStarts(load, max_untrusted, event.trusted, countStarts(plan)));
  }
  return decisions;
}

/** Charges an untrusted emitting run for the deliveries that its event stores, whether started, queued or declined. */
const countPlan = (deps: ReactionDeps, tx: Transaction, event: PendingEvent, plan: Plan) => {
  if (event.trusted || event.source !== 'emit' || plan.length === 0) return undefined;
  const runs = countStarts(plan);
  return deps.creation().countStarted(tx, event.source_name, runs, plan.length - runs);
};

const listPredicates = (handlers: readonly RegisteredHandler[]): string[] =>
  handlers.flatMap(({ predicate }) => predicate ?? []);

function planHandlers(
  deps: ReactionDeps,
  matching: readonly RegisteredHandler[],
  event: PendingEvent,
  evaluator: PredicateEvaluator,
): Plan {
  const plan: PlannedHandler[] = [];
  const results = evaluator.evaluate(event, listPredicates(matching));
  for (const handler of matching) {
    const decision = decideHandler((predicate) => results.get(predicate)!, handler, event);
    if (decision.outcome === 'declined' && decision.failed) {
      const { event_id, project_id } = event;
      const { name } = handler;
      deps.log.warn({ event_id, project_id, handler: name, reason: decision.reason }, 'a handler declined an event');
    }
    plan.push({ name: handler.name, decision });
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
  const starts = countStarts(plan);
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
  const starts: (HandlerStart & { event_seq: number })[] = [];
  for (const { event, plan } of planned)
    for (const { name, decision: verdict } of plan) {
      const delivery = { event_id: event.event_id, reaction: 'handler', name };
      if (verdict.outcome !== 'start') deliveries.push({ ...delivery, state: verdict.outcome, reason: verdict.reason });
      else starts.push({ name, event: toStartEvent(event), event_seq: event.seq });
    }
  const failed = planned.flatMap(({ plan }) =>
    plan.flatMap(({ name, decision: verdict }) => (verdict.outcome === 'declined' && verdict.failed ? [name] : [])),
  );
  const errors = failed.map((name) => ({ name, kind: 'predicate_errors' as const }));
  await addCounts(tx, scope, errors, deps.database.now());
  // Deliveries that have waited longest come first.
  if (planned.some(({ event }) => endedHandlerRun(event) !== undefined)) await fillSlots(deps, tx, scope);
  for (let pending = starts; pending.length > 0; ) {
    const capacity = await readCapacity(tx, scope, deps.limits);
    const waiting = pending.filter(({ event }) => !hasSlot(capacity, event.trusted));
    deliveries.push(...(await enqueueAll(deps, tx, scope, waiting, waitingReason(capacity))));
    pending = pending.filter(({ event }) => hasSlot(capacity, event.trusted));
    const started = await startRuns(deps, tx, scope, pending.slice(0, capacity.all), capacity);
    deliveries.push(...started);
    pending = pending.slice(started.length);
  }
  return deliveries;
}

/** Queues deliveries until a slot is free. */
async function enqueueAll(
  deps: ReactionDeps,
  tx: Transaction,
  scope: ProjectScope,
  queued: readonly QueuedDelivery[],
  reason: string,
): Promise<Delivery[]> {
  await enqueue(tx, scope, queued, deps.database.now());
  return queued.map(({ name, event: { event_id } }) => ({
    event_id,
    reaction: 'handler',
    name,
    state: 'queued',
    reason,
  }));
}
