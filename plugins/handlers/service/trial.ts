import { type Database, Errors, type Expressions } from '../../../kernel/contracts/index.ts';
import type { EventBus, ProjectScope, StoredEvent } from '../../bus/contract.ts';
import { MOST_IN_FLIGHT } from '../domain/ceilings.ts';
import { fitting } from '../domain/patterns.ts';
import { handlerRunId } from '../domain/run-id.ts';
import { judge, type Verdict } from '../domain/verdict.ts';
import type { TestedHandlerView } from '../generated/tested-handler.ts';
import { countOpen } from '../store/open-runs.ts';
import type { Handlers } from './handlers.ts';

export interface TrialParts {
  database: Pick<Database, 'read'>;
  handlers: Pick<Handlers, 'read'>;
  bus: Pick<EventBus, 'read'>;
  expressions: Expressions;
}

/** What an event that is on record would do for a handler now; starts nothing. Throws `not_found`. */
export async function tryEvent(
  parts: TrialParts,
  scope: ProjectScope,
  name: string,
  event_id: string,
): Promise<TestedHandlerView> {
  const { entry, definition } = await parts.handlers.read(scope, name);
  const event = await parts.bus.read(scope, event_id);
  if (!event) throw Errors.notFound(`no event ${event_id} in this project`);
  const about = { handler: name, event: event_id, type: event.type };
  const pattern = fitting(JSON.parse(entry.patterns) as string[], event.type);
  if (pattern === undefined)
    return { ...about, outcome: 'not_matched', reason: `no pattern of the handler fits the type ${event.type}` };
  const declares = Object.keys(definition.credentials ?? {});
  const verdict = judge(parts.expressions, { predicate: entry.predicate, declares }, event);
  const tried = { ...about, pattern, ...whenOf(entry.predicate, verdict) };
  if (event.withheld)
    return { ...tried, outcome: 'withheld', reason: 'handlers are not told of what becomes of handler runs' };
  if (verdict.outcome !== 'start') return { ...tried, outcome: verdict.outcome, reason: verdict.reason };
  return { ...tried, ...(await placeFor(parts, scope, event)), run_id: handlerRunId(event_id, name) };
}

async function placeFor(
  parts: TrialParts,
  scope: ProjectScope,
  event: StoredEvent,
): Promise<Pick<TestedHandlerView, 'outcome' | 'reason'>> {
  const open = await countOpen(parts.database, scope);
  if (open < MOST_IN_FLIGHT) return { outcome: 'start', reason: 'a run would start' };
  const full = `${open} handler runs are in flight`;
  if (event.source !== 'emit') return { outcome: 'queue', reason: `a run would start when there is a place: ${full}` };
  return { outcome: 'refused', reason: `handlers_in_flight: the emit would be refused: ${full}` };
}

function whenOf(source: string | null, verdict: Verdict): Pick<TestedHandlerView, 'when'> {
  if (source === null) return {};
  if (verdict.outcome !== 'declined') return { when: { source, value: true } };
  return { when: verdict.failed ? { source, error: verdict.reason } : { source, value: false } };
}
