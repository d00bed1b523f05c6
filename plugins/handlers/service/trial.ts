import { type Database, Errors, type Expressions } from '../../../kernel/contracts/index.ts';
import {
  envelopeOf,
  type EventBus,
  type Judgement,
  judgementOf,
  PREDICATE_ROOTS,
  type ProjectScope,
  type StoredEvent,
} from '../../bus/contract.ts';
import type { NamedCall } from '../../resources/contract.ts';
import { fitting } from '../domain/patterns.ts';
import { hasPlace, waitingReason } from '../domain/room.ts';
import { handlerRunId } from '../domain/run-id.ts';
import { judge, type Verdict } from '../domain/verdict.ts';
import type { TestedHandlerView } from '../generated/tested-handler.ts';
import { freeRoom } from '../store/open-runs.ts';
import type { Handlers } from './handlers.ts';

export interface TrialParts {
  database: Pick<Database, 'read'>;
  handlers: Pick<Handlers, 'read'>;
  bus: Pick<EventBus, 'read'>;
  expressions: Expressions;
}

/** What a recorded event would do for a handler now; starts nothing. Throws `not_found`. */
export async function tryEvent(
  parts: TrialParts,
  { scope, name }: NamedCall,
  event_id: string,
): Promise<TestedHandlerView> {
  const handler = await parts.handlers.read({ scope, name });
  const predicate = handler.when ?? null;
  const event = await parts.bus.read(scope, event_id);
  if (!event) throw Errors.notFound(`no event ${event_id} in this project`);
  const about = { handler: name, event: event_id, type: event.type };
  const pattern = fitting(handler.on, event.type);
  if (pattern === undefined)
    return { ...about, outcome: 'not_matched', reason: `no pattern of the handler fits the type ${event.type}` };
  const declares = Object.keys(handler.credentials ?? {});
  const verdict = judge((source) => alone(parts, source, event), { predicate, declares }, event);
  const tried = { ...about, pattern, ...whenOf(predicate, verdict) };
  if (event.withheld)
    return { ...tried, outcome: 'withheld', reason: 'lifecycle events of handler runs start no handlers' };
  if (verdict.outcome !== 'start') return { ...tried, outcome: verdict.outcome, reason: verdict.reason };
  return { ...tried, ...(await placeFor(parts, scope, event)), run_id: handlerRunId(event_id, name) };
}

/** The predicate by itself: what others of the event cost does not count here. */
function alone({ expressions }: TrialParts, source: string, event: StoredEvent): Judgement {
  try {
    return judgementOf(expressions.compile(source, PREDICATE_ROOTS).test({ event: envelopeOf(event) }));
  } catch (error) {
    // It compiled when the handler was registered; the service has changed since.
    return judgementOf({ ok: false, reason: error instanceof Error ? error.message : String(error) });
  }
}

async function placeFor(
  parts: TrialParts,
  scope: ProjectScope,
  event: StoredEvent,
): Promise<Pick<TestedHandlerView, 'outcome' | 'reason'>> {
  const room = await freeRoom(parts.database, scope);
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
