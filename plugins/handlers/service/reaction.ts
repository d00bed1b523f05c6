import type { Log, ServiceError, Transaction } from '../../../kernel/contracts/index.ts';
import type {
  Delivery,
  EventReaction,
  PendingEvent,
  PredicateJudge,
  ProjectScope,
  StoredEvent,
} from '../../bus/contract.ts';
import { depthReason, MAX_IN_FLIGHT, RETRY_MS } from '../domain/ceilings.ts';
import { hasPlace, type Load, placesTaken, startingNow, waitingReason, withRuns } from '../domain/room.ts';
import { startEventOf } from '../domain/start.ts';
import { judge, type Verdict } from '../domain/verdict.ts';
import { HandlerErrors } from '../errors.ts';
import { addCounts } from '../store/counts.ts';
import { countInFlight, freeRoom } from '../store/open-runs.ts';
import { enqueue, type Queued } from '../store/queue.ts';
import type { Registered, Registry } from './registry.ts';
import { endedRun, fillSlots, freeSlots, type SlotParts } from './slots.ts';
import { type Start, startRuns } from './starter.ts';

export interface ReactionParts extends SlotParts {
  registry: Registry;
  log: Log;
}

/** The reaction of an event: the handlers that it matches. */
interface PlannedHandler {
  name: string;
  verdict: Verdict;
}

type Plan = readonly PlannedHandler[];
type Decision = { refused: ServiceError } | { plan: Plan | undefined };

const starting = (plan: Plan): number => plan.filter(({ verdict }) => verdict.outcome === 'start').length;

/**
 * Starts the handlers that an event matches, within the limits. Events that cannot be refused wait for a slot instead.
 */
export function handlerReaction(parts: ReactionParts): EventReaction<Plan> {
  return {
    name: 'handlers',
    precedence: 100,
    predicates: (event) => (event.withheld ? [] : predicatesOf(parts.registry.lastKnown(event).fitting(event.type))),
    decide: (tx, scope, events, judging) => decide(parts, tx, scope, events, judging),
    apply: (tx, scope, planned) => apply(parts, tx, scope, planned),
  };
}

async function decide(
  parts: ReactionParts,
  tx: Transaction,
  scope: ProjectScope,
  events: readonly PendingEvent[],
  judging: PredicateJudge,
): Promise<Decision[]> {
  const index = await parts.registry.indexOf(tx, scope);
  await freeSlots(tx, scope, events, parts.database.now());
  const plans: (Plan | undefined)[] = [];
  for (const event of events) {
    const fitting = event.withheld ? [] : index.fitting(event.type);
    const none = endedRun(event) === undefined ? undefined : [];
    plans.push(fitting.length === 0 ? none : judgeAll(parts, fitting, event, judging));
  }
  const starts = plans.reduce((sum, plan) => sum + starting(plan ?? []), 0);
  const asks = (event: PendingEvent, plan: Plan | undefined) =>
    event.refusable && !event.trusted && starting(plan ?? []) > 0;
  const crowded = events.some((event, at) => asks(event, plans[at]))
    ? await parts.creation().untrustedRefusal(tx, scope)
    : undefined;
  const most = parts.limits.project.untrusted.handlers;
  let load: Load = starts > 0 ? await countInFlight(tx, scope, most) : { all: 0, untrusted: 0, parked: 0 };
  const decisions: Decision[] = [];
  for (const [at, event] of events.entries()) {
    const plan = plans[at];
    const refused =
      plan && event.refusable
        ? ((asks(event, plan) ? crowded : undefined) ??
          refusal(event, plan, load, most) ??
          (await countPlan(parts, tx, event, plan)))
        : undefined;
    decisions.push(refused ? { refused } : { plan });
    if (plan && !refused) load = withRuns(load, event.trusted, startingNow(load, most, event.trusted, starting(plan)));
  }
  return decisions;
}

/** An untrusted run that emits stores what it starts, also where that waits in the queue, and what was declined. */
const countPlan = (parts: ReactionParts, tx: Transaction, event: PendingEvent, plan: Plan) => {
  if (event.trusted || event.source !== 'emit' || plan.length === 0) return undefined;
  const runs = starting(plan);
  return parts.creation().countStarted(tx, event.source_name, runs, plan.length - runs);
};

const predicatesOf = (handlers: readonly Registered[]): string[] =>
  handlers.flatMap(({ predicate }) => predicate ?? []);

function judgeAll(
  parts: ReactionParts,
  fitting: readonly Registered[],
  event: PendingEvent,
  judging: PredicateJudge,
): Plan {
  const plan: PlannedHandler[] = [];
  const answers = judging.judge(event, predicatesOf(fitting));
  for (const handler of fitting) {
    const verdict = judge((predicate) => answers.get(predicate)!, handler, event);
    if (verdict.outcome === 'declined' && verdict.failed) {
      const { event_id, project_id } = event;
      const { name } = handler;
      parts.log.warn({ event_id, project_id, handler: name, reason: verdict.reason }, 'a handler declined an event');
    }
    plan.push({ name: handler.name, verdict });
  }
  return plan;
}

/** The error for the emitter, in place of recording its event. */
function refusal(event: PendingEvent, plan: Plan, load: Load, most: number): ServiceError | undefined {
  const deep = plan.find(({ verdict }) => verdict.outcome === 'refused' && verdict.code === 'chain_too_deep');
  if (deep)
    return HandlerErrors.chainTooDeep(
      `the event ${event.type} would start the handler ${deep.name}: ${depthReason(event.generation)}`,
    );
  const starts = starting(plan);
  // What waits for a place of untrusted runs is refused only where there is no place for anybody.
  const now = startingNow(load, most, event.trusted, starts);
  if (starts === 0 || placesTaken(load) + Math.max(1, now) <= MAX_IN_FLIGHT) return undefined;
  // The message names the limit: an emitter that hears only "too many now" would try without end.
  const ever = now > MAX_IN_FLIGHT ? '; it will be refused until fewer handlers match it' : '';
  return HandlerErrors.handlersInFlight(
    `the event ${event.type} would start ${starts} handler runs while ${placesTaken(load)} are in flight; the limit of a project is ${MAX_IN_FLIGHT}${ever}`,
    { retryAfterMs: RETRY_MS },
  );
}

async function apply(
  parts: ReactionParts,
  tx: Transaction,
  scope: ProjectScope,
  planned: readonly { event: StoredEvent; plan: Plan }[],
): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  const starts: (Start & { event_seq: number })[] = [];
  for (const { event, plan } of planned)
    for (const { name, verdict } of plan) {
      const delivery = { event_id: event.event_id, reaction: 'handler', name };
      if (verdict.outcome !== 'start') deliveries.push({ ...delivery, state: verdict.outcome, reason: verdict.reason });
      else starts.push({ name, event: startEventOf(event), event_seq: event.seq });
    }
  const failed = planned.flatMap(({ plan }) =>
    plan.flatMap(({ name, verdict }) => (verdict.outcome === 'declined' && verdict.failed ? [name] : [])),
  );
  const errors = failed.map((name) => ({ name, kind: 'predicate_errors' as const }));
  await addCounts(tx, scope, errors, parts.database.now());
  // Those that have waited longest come first.
  if (planned.some(({ event }) => endedRun(event) !== undefined)) await fillSlots(parts, tx, scope);
  for (let rest = starts; rest.length > 0; ) {
    const room = await freeRoom(tx, scope, parts.limits);
    const waiting = rest.filter(({ event }) => !hasPlace(room, event.trusted));
    deliveries.push(...(await queueAll(parts, tx, scope, waiting, waitingReason(room))));
    rest = rest.filter(({ event }) => hasPlace(room, event.trusted));
    const begun = await startRuns(parts, tx, scope, rest.slice(0, room.all), room);
    deliveries.push(...begun);
    rest = rest.slice(begun.length);
  }
  return deliveries;
}

/** They wait for a slot. */
async function queueAll(
  parts: ReactionParts,
  tx: Transaction,
  scope: ProjectScope,
  queued: readonly Queued[],
  reason: string,
): Promise<Delivery[]> {
  await enqueue(tx, scope, queued, parts.database.now());
  return queued.map(({ name, event: { event_id } }) => ({
    event_id,
    reaction: 'handler',
    name,
    state: 'queued',
    reason,
  }));
}
