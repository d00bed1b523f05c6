import { Errors, type Ids, iso, type Sealer, type Transaction } from '../../../kernel/contracts/index.ts';
import type { EventBus, Replay, StoredEvent } from '../../bus/contract.ts';
import type { AuditedWrites, NamedCall } from '../../resources/contract.ts';
import { RETRY_MS } from '../domain/ceilings.ts';
import { fitting } from '../domain/patterns.ts';
import { hasPlace, waitingReason } from '../domain/room.ts';
import { keyedReplayId } from '../domain/run-id.ts';
import { startEventOf } from '../domain/start.ts';
import type { Verdict } from '../domain/verdict.ts';
import { HandlerErrors } from '../errors.ts';
import type { HandlerView } from '../generated/handler.ts';
import type { ReplayEventBody } from '../generated/replay-event.ts';
import type { ReplayedEvent } from '../generated/replayed-event.ts';
import { addCounts } from '../store/counts.ts';
import { handlers } from '../store/handlers.ts';
import { freeRoom } from '../store/open-runs.ts';
import { type StarterParts, startRuns } from './starter.ts';
import { noPattern, type TrialParts, verdictOf, WITHHELD } from './trial.ts';

export interface ReplayParts extends Omit<StarterParts, 'database'>, Omit<TrialParts, 'bus' | 'database'> {
  database: StarterParts['database'] & TrialParts['database'];
  bus: Pick<EventBus, 'lock' | 'read' | 'noteReplay' | 'findReplay'>;
  sealer: Pick<Sealer, 'prepare'>;
  ids: Ids;
  writes: Pick<AuditedWrites, 'write'>;
}

/** A replay that is to be recorded. */
interface Asked extends Pick<Replay, 'replay_id' | 'event_id' | 'name' | 'by' | 'forced'> {
  event: StoredEvent;
  verdict: Verdict;
}

/**
 * Delivers a recorded event again to one handler: a further run, with the trust and the generation of the event. What a first
 * delivery would decline or refuse is recorded as such; without a place nothing is, as at a rerun. `call.name` is the
 * event; `key` the digest of an idempotency key, for one replay of an event and handler. Throws `not_found`,
 * `handlers_in_flight`.
 */
export async function replayEvent(
  parts: ReplayParts,
  call: NamedCall,
  { handler: name, force: forced = false }: ReplayEventBody,
  key: string | undefined,
): Promise<ReplayedEvent> {
  const { scope, name: event_id, by } = call;
  const { bus, database, ids, sealer, writes } = parts;
  await sealer.prepare(scope.org_id);
  const event = await bus.read(scope, event_id);
  if (!event) throw Errors.notFound(`no event ${event_id} in this project`);
  const replay_id = key === undefined ? ids.next('rpl') : keyedReplayId(event_id, name, key);
  const known = await bus.findReplay(database, scope, { event_id, name, replay_id });
  if (known) return { ...viewOf(known), duplicate: true };
  const row = await handlers.get(database, scope, name);
  const verdict = decide(parts, await parts.handlers.read({ scope, name }), event, forced);
  const asked = { replay_id, event_id, name, by: by.principal?.name ?? '', forced, event, verdict };
  const replay = await writes.write(
    call,
    'event.replay',
    (tx) => carryOut(parts, tx, call, asked, row.revision),
    ({ state }) => `${name} ${replay_id} ${state}`,
  );
  return viewOf(replay);
}

function decide(parts: ReplayParts, handler: HandlerView, event: StoredEvent, forced: boolean): Verdict {
  if (fitting(handler.on, event.type) === undefined) return { outcome: 'declined', reason: noPattern(event) };
  if (event.withheld) return { outcome: 'declined', reason: WITHHELD };
  return verdictOf(parts, handler, event, forced);
}

async function carryOut(
  parts: ReplayParts,
  tx: Transaction,
  { scope }: NamedCall,
  asked: Asked,
  revision: string,
): Promise<Replay> {
  const { bus, database } = parts;
  const { event: _event, verdict, ...about } = asked;
  await bus.lock(tx, scope);
  // The commit of an earlier try was not answered, or another request had the key first.
  const known = await bus.findReplay(tx, scope, asked);
  if (known) return known;
  const now = await handlers.get(tx, scope, asked.name);
  if (now.revision !== revision) throw Errors.unavailable('the handler was changed just now', { retryAfterMs: 100 });
  const outcome =
    verdict.outcome === 'start'
      ? await start(parts, tx, scope, asked)
      : { state: verdict.outcome, reason: verdict.reason };
  const at = database.now();
  if (verdict.outcome === 'declined' && verdict.failed)
    await addCounts(tx, scope, [{ name: asked.name, kind: 'predicate_errors' }], at);
  const replay = { ...about, ...outcome, at };
  await bus.noteReplay(tx, scope, replay);
  return replay;
}

async function start(
  parts: ReplayParts,
  tx: Transaction,
  scope: NamedCall['scope'],
  { name, event, replay_id }: Asked,
): Promise<Pick<Replay, 'state' | 'reason' | 'run_id'>> {
  const room = await freeRoom(tx, scope, parts.limits);
  if (!hasPlace(room, event.trusted))
    throw HandlerErrors.handlersInFlight(`the replay would be a handler run while ${waitingReason(room)}`, {
      retryAfterMs: RETRY_MS,
    });
  const [begun] = await startRuns(parts, tx, scope, [{ name, event: startEventOf(event), replay: replay_id }], room);
  const { state, reason, run_id } = begun!;
  return { state, reason, run_id };
}

const viewOf = ({ replay_id, event_id, name, at, ...rest }: Replay): ReplayedEvent => ({
  replay: replay_id,
  event: event_id,
  handler: name,
  ...rest,
  at: iso(at),
});
