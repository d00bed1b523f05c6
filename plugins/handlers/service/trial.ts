import { type Database, Errors, type Expressions } from '../../../kernel/contracts/index.ts';
import {
  envelopeOf,
  type EventBus,
  isReserved,
  type Judgement,
  judgementOf,
  keyFault,
  type PendingEvent,
  PREDICATE_ROOTS,
  type ProjectScope,
  typeFault,
} from '../../bus/contract.ts';
import type { NamedCall } from '../../resources/contract.ts';
import type { Json, RunLimits } from '../../runs/contract.ts';
import { takeMember } from '../../schema/contract.ts';
import { fitting } from '../domain/patterns.ts';
import { hasPlace, waitingReason } from '../domain/room.ts';
import { handlerRunId } from '../domain/run-id.ts';
import { judge, type Verdict } from '../domain/verdict.ts';
import type { HandlerView } from '../generated/handler.ts';
import type { TestHandlerBody } from '../generated/test-handler.ts';
import type { TestedHandlerView } from '../generated/tested-handler.ts';
import { freeRoom } from '../store/open-runs.ts';
import type { Handlers } from './handlers.ts';

export interface TrialParts {
  database: Pick<Database, 'read'>;
  handlers: Pick<Handlers, 'read'>;
  bus: Pick<EventBus, 'read'>;
  expressions: Expressions;
  limits: Pick<RunLimits, 'project'>;
}

/** Stands for the id of an event that is not on record. */
const MADE_UP = `evt_${'0'.repeat(26)}`;

const invalid = (pointer: string, message: string) =>
  Errors.invalidRequest(`${pointer.slice(1)} ${message}`, { errors: [{ pointer, message }] });

/** What a body asks for: an event on record, or one that is made up. Starts nothing. Throws `not_found`, `invalid_request`. */
export async function tryBody(parts: TrialParts, call: NamedCall, body: TestHandlerBody): Promise<TestedHandlerView> {
  const { event, type, key, trusted } = body;
  const made_up = 'payload' in body;
  if (event !== undefined) {
    const other = ['payload', 'type', 'key', 'trusted'].find((member) => member in body);
    if (other !== undefined) throw invalid(`/${other}`, 'belongs to a made-up event; leave `event` out');
    return tryEvent(parts, call, event);
  }
  if (!made_up) throw invalid('/payload', 'is required without `event`: the payload of a made-up event');
  const handler = await parts.handlers.read(call);
  const pending = madeUpEvent(call.scope, type ?? usualType(handler), {
    key: key ?? null,
    payload: (takeMember(body, 'payload') ?? null) as Json,
    trusted: trusted ?? true,
  });
  const { event: _none, run_id: _no_run, ...tried } = await tryOn(parts, call.scope, handler, pending);
  return { ...tried, trusted: pending.trusted, input: inputOf(handler, pending) };
}

/** What a recorded event would do for a handler now; starts nothing. Throws `not_found`. */
export async function tryEvent(
  parts: TrialParts,
  { scope, name }: NamedCall,
  event_id: string,
): Promise<TestedHandlerView> {
  const handler = await parts.handlers.read({ scope, name });
  const event = await parts.bus.read(scope, event_id);
  if (!event) throw Errors.notFound(`no event ${event_id} in this project`);
  return tryOn(parts, scope, handler, event);
}

async function tryOn(
  parts: TrialParts,
  scope: ProjectScope,
  handler: HandlerView,
  event: PendingEvent,
): Promise<TestedHandlerView> {
  const { name } = handler;
  const predicate = handler.when ?? null;
  const about = { handler: name, event: event.event_id, type: event.type };
  const pattern = fitting(handler.on, event.type);
  if (pattern === undefined) return { ...about, outcome: 'not_matched', reason: noPattern(event) };
  const verdict = verdictOf(parts, handler, event);
  const tried = { ...about, pattern, ...whenOf(predicate, verdict) };
  if (event.withheld) return { ...tried, outcome: 'withheld', reason: WITHHELD };
  if (verdict.outcome !== 'start') return { ...tried, outcome: verdict.outcome, reason: verdict.reason };
  return { ...tried, ...(await placeFor(parts, scope, event)), run_id: handlerRunId(event.event_id, name) };
}

export const WITHHELD = 'lifecycle events of handler runs start no handlers';
export const noPattern = ({ type }: PendingEvent): string => `no pattern of the handler fits the type ${type}`;

/** The decision about a handler whose pattern fits; `forced`: whatever its predicate says. */
export function verdictOf(
  parts: Pick<TrialParts, 'expressions'>,
  handler: HandlerView,
  event: PendingEvent,
  forced = false,
): Verdict {
  const predicate = forced ? null : (handler.when ?? null);
  const declares = Object.keys(handler.credentials ?? {});
  return judge((source) => alone(parts, source, event), { predicate, declares }, event);
}

/** The predicate by itself: what others of the event cost does not count here. */
function alone({ expressions }: Pick<TrialParts, 'expressions'>, source: string, event: PendingEvent): Judgement {
  try {
    return judgementOf(expressions.compile(source, PREDICATE_ROOTS).test({ event: envelopeOf(event) }));
  } catch (error) {
    // It compiled when the handler was registered; the service has changed since.
    return judgementOf({ ok: false, reason: error instanceof Error ? error.message : String(error) });
  }
}

/** The type that a handler with one exact pattern among its patterns is surely for. */
function usualType({ on }: HandlerView): string {
  const exact = on.find((pattern) => !pattern.endsWith('*'));
  if (exact !== undefined) return exact;
  throw invalid('/type', `is required, because the handler is for several types: ${on.join(', ')}`);
}

function madeUpEvent(
  { org_id, project_id }: ProjectScope,
  type: string,
  { key, payload, trusted }: Pick<PendingEvent, 'key' | 'payload' | 'trusted'>,
): PendingEvent {
  const type_fault = typeFault(type);
  if (type_fault !== undefined) throw invalid('/type', type_fault);
  const key_fault = key === null ? undefined : keyFault(key);
  if (key_fault !== undefined) throw invalid('/key', key_fault);
  return {
    org_id,
    project_id,
    event_id: MADE_UP,
    type,
    key,
    payload,
    // Emits are refused where others wait for a place.
    source: isReserved(type) ? 'lifecycle' : 'emit',
    source_name: '',
    generation: 0,
    trusted,
    refusable: false,
  };
}

/** The input file of the run that would start. */
function inputOf({ input, args }: HandlerView, event: PendingEvent): { [member: string]: Json } {
  return {
    ...envelopeOf(event),
    ...(input !== undefined && { input: input as Json }),
    ...(args !== undefined && args.length > 0 && { args }),
  };
}

async function placeFor(
  parts: TrialParts,
  scope: ProjectScope,
  event: PendingEvent,
): Promise<Pick<TestedHandlerView, 'outcome' | 'reason'>> {
  const room = await freeRoom(parts.database, scope, parts.limits);
  if (hasPlace(room, event.trusted)) return { outcome: 'start', reason: 'a run would start' };
  const full = waitingReason(room);
  if (event.source !== 'emit' || room.all > 0)
    return { outcome: 'queue', reason: `a run would start when a slot is free: ${full}` };
  return { outcome: 'refused', reason: `handlers_in_flight: the emit would be refused: ${full}` };
}

function whenOf(source: string | null, verdict: Verdict): Pick<TestedHandlerView, 'when'> {
  if (source === null) return {};
  if (verdict.outcome !== 'declined') return { when: { source, value: true } };
  return { when: verdict.failed ? { source, error: verdict.reason } : { source, value: false } };
}
