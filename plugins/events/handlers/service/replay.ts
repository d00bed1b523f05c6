import { Errors, type Ids, iso, type Sealer, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { EventBus, ProjectScope, Replay, StoredEvent } from '../../bus/contract.ts';
import type { AuditedWrites, NamedRequest } from '../../../platform/resources/contract.ts';
import { RETRY_MS } from '../domain/ceilings.ts';
import { matchingPattern } from '../domain/patterns.ts';
import { hasSlot, waitingReason } from '../domain/capacity.ts';
import { keyedReplayId } from '../domain/run-id.ts';
import { toStartEvent } from '../domain/start.ts';
import type { HandlerDecision } from '../domain/decision.ts';
import { HandlerErrors } from '../errors.ts';
import type { HandlerView } from '../generated/handler.ts';
import type { ReplayEventBody } from '../generated/replay-event.ts';
import type { ReplayedEvent } from '../generated/replayed-event.ts';
import { addCounts } from '../store/counts.ts';
import { removeLettersOf } from '../store/dead-letters.ts';
import { handlers } from '../store/handlers.ts';
import { readCapacity } from '../store/open-runs.ts';
import { type StarterDeps, startRuns } from './starter.ts';
import { noPatternReason, type TrialDeps, decideFor, WITHHELD } from './dry-run.ts';

export interface ReplayDeps extends Omit<StarterDeps, 'database'>, Omit<TrialDeps, 'bus' | 'database'> {
  database: StarterDeps['database'] & TrialDeps['database'];
  bus: Pick<EventBus, 'lock' | 'read' | 'recordReplay' | 'findReplay'>;
  sealer: Pick<Sealer, 'prepare'>;
  ids: Ids;
  writes: Pick<AuditedWrites, 'write'>;
}

/** A replay that is about to be recorded. */
export interface ReplayRequest extends Pick<Replay, 'replay_id' | 'event_id' | 'name' | 'by' | 'forced'> {
  event: StoredEvent;
  decision: HandlerDecision;
}

/**
 * Replays a recorded event to one handler: it starts another run, with the trust and the generation of the event.
 * What a first delivery would decline or refuse is recorded as such, but without a free slot nothing is recorded, as
 * with a rerun. `call.name` is the event id, and `key` the digest of an idempotency key, which allows one replay per
 * event and handler. Throws `not_found`, `handlers_in_flight`.
 */
export async function replayEvent(
  deps: ReplayDeps,
  call: NamedRequest,
  { handler: name, force: forced = false }: ReplayEventBody,
  key: string | undefined,
): Promise<ReplayedEvent> {
  const { scope, name: event_id, by } = call;
  const { bus, database, ids, sealer, writes } = deps;
  await sealer.prepare(scope.org_id);
  const event = await bus.read(scope, event_id);
  if (!event) throw Errors.notFound(`no event ${event_id} in this project`);
  const replay_id = key === undefined ? ids.next('rpl') : keyedReplayId(event_id, name, key);
  const existing = await bus.findReplay(database, scope, { event_id, name, replay_id });
  if (existing) return { ...toView(existing), duplicate: true };
  const row = await handlers.get(database, scope, name);
  const decision = decideReplay(deps, await deps.handlers.read({ scope, name }), event, forced);
  const request: ReplayRequest = { replay_id, event_id, name, by: by.principal?.name ?? '', forced, event, decision };
  const replay = await writes.write(
    call,
    'event.replay',
    (tx) => recordReplay(deps, tx, call, request, row.revision),
    ({ state }) => `${name} ${replay_id} ${state}`,
  );
  return toView(replay);
}

/** Returns what a replay of an event does to a handler, apart from the limit on parallel runs. */
export function decideReplay(
  deps: ReplayDeps,
  handler: HandlerView,
  event: StoredEvent,
  forced: boolean,
): HandlerDecision {
  if (matchingPattern(handler.on, event.type) === undefined)
    return { outcome: 'declined', reason: noPatternReason(event) };
  if (event.withheld) return { outcome: 'declined', reason: WITHHELD };
  return decideFor(deps, handler, event, forced);
}

/**
 * Records a replay in a transaction, and starts its run. `reserved`: the slots that it leaves free. Throws `handlers_in_flight`.
 */
export async function recordReplay(
  deps: ReplayDeps,
  tx: Transaction,
  { scope }: { scope: ProjectScope },
  request: ReplayRequest,
  revision: string,
  reserved = 0,
): Promise<Replay> {
  const { bus, database } = deps;
  const { event: _event, decision: verdict, ...identity } = request;
  await bus.lock(tx, scope);
  // The response to an earlier attempt was lost, or another request used the key first.
  const existing = await bus.findReplay(tx, scope, request);
  if (existing) return existing;
  const current = await handlers.get(tx, scope, request.name);
  if (current.revision !== revision) throw Errors.unavailable('the handler was just changed', { retryAfterMs: 100 });
  const outcome =
    verdict.outcome === 'start'
      ? await startReplay(deps, tx, scope, request, reserved)
      : { state: verdict.outcome, reason: verdict.reason };
  const at = database.now();
  if (verdict.outcome === 'declined' && verdict.failed)
    await addCounts(tx, scope, [{ name: request.name, kind: 'predicate_errors' }], at);
  const replay = { ...identity, ...outcome, at };
  await bus.recordReplay(tx, scope, replay);
  return replay;
}

async function startReplay(
  deps: ReplayDeps,
  tx: Transaction,
  scope: ProjectScope,
  { name, event, replay_id }: ReplayRequest,
  reserved: number,
): Promise<Pick<Replay, 'state' | 'reason' | 'run_id'>> {
  const capacity = await readCapacity(tx, scope, deps.limits);
  if (!hasSlot(capacity, event.trusted) || capacity.all <= reserved)
    throw HandlerErrors.handlersInFlight(`the replay would start a handler run, but ${waitingReason(capacity)}`, {
      retryAfterMs: RETRY_MS,
    });
  // If the delivery fails again, it gets a new letter.
  await removeLettersOf(tx, scope, [{ event_id: event.event_id, name }]);
  const [started] = await startRuns(
    deps,
    tx,
    scope,
    [{ name, event: toStartEvent(event), replay: replay_id }],
    capacity,
  );
  const { state, reason, run_id } = started!;
  return { state, reason, run_id };
}

const toView = ({ replay_id, event_id, name, at, ...outcome }: Replay): ReplayedEvent => ({
  replay: replay_id,
  event: event_id,
  handler: name,
  ...outcome,
  at: iso(at),
});
