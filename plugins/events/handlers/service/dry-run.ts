import {
  type Database,
  Errors,
  type EvaluationResult,
  type Expressions,
  yieldToEventLoop,
} from '../../../../kernel/contracts/index.ts';
import {
  envelopeOf,
  type EventBus,
  isReserved,
  type PredicateResult,
  toPredicateResult,
  validateEventKey,
  type PendingEvent,
  PREDICATE_ROOTS,
  type ProjectScope,
  validateEventType,
} from '../../bus/contract.ts';
import type { NamedRequest } from '../../../platform/resources/contract.ts';
import type { Json, RunLimits } from '../../../engine/runs/contract.ts';
import { detachMember } from '../../../platform/schema/contract.ts';
import { matchingPattern } from '../domain/patterns.ts';
import { hasSlot, waitingReason } from '../domain/capacity.ts';
import { admissionId, blockedReason, KEY_FIELD } from '../domain/concurrency.ts';
import type { FlowOptions } from '../contract/flow-options.ts';
import { computeFlow, listExpressions } from '../domain/flow.ts';
import {
  batchReason,
  debounceReason,
  dropReason,
  gateId,
  periodOf,
  rateGate,
  throttleReason,
} from '../domain/gates.ts';
import { handlerRunId } from '../domain/run-id.ts';
import { decideHandler, type HandlerDecision } from '../domain/decision.ts';
import type { HandlerView } from '../generated/handler.ts';
import type { TestHandlerBody } from '../generated/test-handler.ts';
import type { TestedHandlerView } from '../generated/tested-handler.ts';
import { countAdmitted } from '../store/admissions.ts';
import { readGateUses } from '../store/gates.ts';
import { readCapacity } from '../store/open-runs.ts';
import { flowOptionsOf, type HandlerSummary } from './definitions.ts';
import type { Handlers } from './handlers.ts';

export interface TrialDeps {
  database: Pick<Database, 'read' | 'now'>;
  handlers: Pick<Handlers, 'read'>;
  bus: Pick<EventBus, 'read'>;
  expressions: Expressions;
  limits: Pick<RunLimits, 'project'>;
}

/** Stands in for the id of an event that is not recorded. */
const PLACEHOLDER_ID = `evt_${'0'.repeat(26)}`;

const invalid = (pointer: string, message: string) =>
  Errors.invalidRequest(`${pointer.slice(1)} ${message}`, { errors: [{ pointer, message }] });

/**
 * Tries a recorded or a made-up event on a handler without starting anything. Throws `not_found`, `invalid_request`.
 */
export async function dryRun(deps: TrialDeps, call: NamedRequest, body: TestHandlerBody): Promise<TestedHandlerView> {
  const { event, type, key, trusted } = body;
  const has_payload = 'payload' in body;
  if (event !== undefined) {
    const conflicting = ['payload', 'type', 'key', 'trusted'].find((member) => member in body);
    if (conflicting !== undefined) throw invalid(`/${conflicting}`, 'is only for a sample event; leave `event` out');
    return dryRunRecorded(deps, call, event);
  }
  if (!has_payload) throw invalid('/payload', 'is required without `event`: the payload of a sample event');
  const handler = await deps.handlers.read(call);
  const pending = buildEvent(call.scope, type ?? defaultType(handler), {
    key: key ?? null,
    payload: (detachMember(body, 'payload') ?? null) as Json,
    trusted: trusted ?? true,
  });
  const { event: _none, run_id: _no_run, ...result } = await dryRunOn(deps, call.scope, handler, pending);
  return { ...result, trusted: pending.trusted, input: buildInput(handler, pending) };
}

/** Returns what a recorded event would do to a handler now, without starting anything. Throws `not_found`. */
export async function dryRunRecorded(
  deps: TrialDeps,
  { scope, name }: NamedRequest,
  event_id: string,
): Promise<TestedHandlerView> {
  const handler = await deps.handlers.read({ scope, name });
  const event = await deps.bus.read(scope, event_id);
  if (!event) throw Errors.notFound(`no event ${event_id} in this project`);
  return dryRunOn(deps, scope, handler, event);
}

async function dryRunOn(
  deps: TrialDeps,
  scope: ProjectScope,
  handler: HandlerView,
  event: PendingEvent,
): Promise<TestedHandlerView> {
  const { name } = handler;
  const predicate = handler.when ?? null;
  const summary = { handler: name, event: event.event_id, type: event.type };
  const pattern = matchingPattern(handler.on, event.type);
  if (pattern === undefined) return { ...summary, outcome: 'not_matched', reason: noPatternReason(event) };
  const decision = decideFor(deps, handler, event);
  const result = { ...summary, pattern, ...renderPredicate(predicate, decision) };
  if (event.withheld) return { ...result, outcome: 'withheld', reason: WITHHELD };
  if (decision.outcome !== 'start') return { ...result, outcome: decision.outcome, reason: decision.reason };
  const run_id = handlerRunId(event.event_id, name);
  const options = flowOptionsOf(handler as FlowOptions as HandlerSummary);
  const blocked = options && (await checkOptions(deps, scope, name, options, event));
  // Another event may take its place, or start the run that it is part of.
  if (blocked?.outcome === 'declined' || options?.debounce || options?.batch) return { ...result, ...blocked! };
  return blocked
    ? { ...result, ...blocked, run_id }
    : { ...result, ...(await checkCapacity(deps, scope, event)), run_id };
}

export const WITHHELD = 'lifecycle events of handler runs start no handlers';
export const noPatternReason = ({ type }: PendingEvent): string => `no pattern of the handler matches the type ${type}`;

/** Returns the decision for a handler whose pattern matches. `forced` skips its predicate. */
export function decideFor(
  deps: Pick<TrialDeps, 'expressions'>,
  handler: HandlerView,
  event: PendingEvent,
  forced = false,
): HandlerDecision {
  const predicate = forced ? null : (handler.when ?? null);
  const declares = Object.keys(handler.credentials ?? {});
  return decideHandler(
    (source) => evaluateUnbudgeted(deps, source, event),
    { predicate, credential_variables: declares },
    event,
  );
}

/** Evaluates the predicate by itself; the budget that it shares with others of the event does not apply here. */
function evaluateUnbudgeted(
  { expressions }: Pick<TrialDeps, 'expressions'>,
  source: string,
  event: PendingEvent,
): PredicateResult {
  try {
    return toPredicateResult(expressions.compile(source, PREDICATE_ROOTS).test({ event: envelopeOf(event) }));
  } catch (error) {
    // It compiled when the handler was registered, but the service may have changed since.
    return toPredicateResult({ ok: false, reason: error instanceof Error ? error.message : String(error) });
  }
}

function evaluateValue(expressions: Expressions, source: string, event: PendingEvent): EvaluationResult {
  try {
    return expressions.compile(source, PREDICATE_ROOTS).evaluate({ event: envelopeOf(event) });
  } catch (error) {
    // It compiled when the handler was registered, but the service may have changed since.
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns the type that a handler is surely for: the first pattern without a wildcard. */
function defaultType({ on }: HandlerView): string {
  const exact = on.find((pattern) => !pattern.endsWith('*'));
  if (exact !== undefined) return exact;
  throw invalid('/type', `is required, because the handler is for several types: ${on.join(', ')}`);
}

function buildEvent(
  { org_id, project_id }: ProjectScope,
  type: string,
  { key, payload, trusted }: Pick<PendingEvent, 'key' | 'payload' | 'trusted'>,
): PendingEvent {
  const type_problem = validateEventType(type);
  if (type_problem !== undefined) throw invalid('/type', type_problem);
  const key_problem = key === null ? undefined : validateEventKey(key);
  if (key_problem !== undefined) throw invalid('/key', key_problem);
  return {
    org_id,
    project_id,
    event_id: PLACEHOLDER_ID,
    type,
    key,
    payload,
    // Only emits are rejected where other events would be queued.
    source: isReserved(type) ? 'lifecycle' : 'emit',
    source_name: '',
    generation: 0,
    trusted,
    refusable: false,
  };
}

/** Returns the input file of the run that would start. */
function buildInput({ input, args }: HandlerView, event: PendingEvent): { [member: string]: Json } {
  return {
    ...envelopeOf(event),
    ...(input !== undefined && { input: input as Json }),
    ...(args !== undefined && args.length > 0 && { args }),
  };
}

type Outcome = Pick<TestedHandlerView, 'outcome' | 'reason'>;

/** Returns what the options of a handler do to a start; undefined if they leave room. */
async function checkOptions(
  { database, expressions }: Pick<TrialDeps, 'database' | 'expressions'>,
  scope: ProjectScope,
  name: string,
  options: FlowOptions,
  event: PendingEvent,
): Promise<Outcome | undefined> {
  const values = new Map<string, EvaluationResult>();
  for (const source of listExpressions(options)) {
    await yieldToEventLoop();
    values.set(source, evaluateValue(expressions, source, event));
  }
  const flow = computeFlow((source) => values.get(source)!, options);
  if ('reason' in flow) return { outcome: 'declined', reason: flow.reason };
  const { keys } = flow;
  const { concurrency, throttle, rate_limit, debounce, batch } = options;
  const useOf = async (gate: string, rate: { period: string }) =>
    (await readGateUses(database, scope, [{ gate, since: database.now() - periodOf(rate) }])).get(gate)!;
  if (rate_limit) {
    const { passed } = await useOf(rateGate(name, keys.rate_limit!, event.trusted), rate_limit);
    if (passed >= rate_limit.limit) return { outcome: 'declined', reason: dropReason(rate_limit, keys.rate_limit!) };
  }
  if (debounce) return { outcome: 'queue', reason: debounceReason(debounce, keys.debounce!) };
  if (batch) return { outcome: 'queue', reason: batchReason(batch, keys.batch!) };
  if (throttle) {
    const { passed, waiting } = await useOf(gateId('throttle', name, keys.throttle!), throttle);
    if (waiting > 0 || passed >= throttle.limit)
      return { outcome: 'queue', reason: throttleReason(throttle, keys.throttle!) };
  }
  if (!concurrency) return undefined;
  const group = admissionId(name, { [KEY_FIELD]: keys.concurrency! })!;
  const used = (await countAdmitted(database, scope, [group])).get(group);
  return (used?.[event.trusted ? 'trusted' : 'untrusted'] ?? 0) < concurrency.limit
    ? undefined
    : { outcome: 'queue', reason: blockedReason(concurrency, keys.concurrency!) };
}

async function checkCapacity(
  deps: TrialDeps,
  scope: ProjectScope,
  event: PendingEvent,
): Promise<Pick<TestedHandlerView, 'outcome' | 'reason'>> {
  const capacity = await readCapacity(deps.database, scope, deps.limits);
  if (hasSlot(capacity, event.trusted)) return { outcome: 'start', reason: 'a run would start' };
  const full = waitingReason(capacity);
  if (event.source !== 'emit' || capacity.all > 0)
    return { outcome: 'queue', reason: `a run would start when a slot is free: ${full}` };
  return { outcome: 'refused', reason: `handlers_in_flight: the emit would be rejected: ${full}` };
}

function renderPredicate(source: string | null, verdict: HandlerDecision): Pick<TestedHandlerView, 'when'> {
  if (source === null) return {};
  if (verdict.outcome !== 'declined') return { when: { source, value: true } };
  return { when: verdict.failed ? { source, error: verdict.reason } : { source, value: false } };
}
