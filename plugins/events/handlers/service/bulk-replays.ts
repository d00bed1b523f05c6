import {
  type Clock,
  type Database,
  Errors,
  failpoint,
  inPages,
  isServiceError,
  iso,
  type IterationResult,
  type Log,
  type Page,
  pageOf,
  retryUnknownCommit,
  type Scope,
  type Transaction,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import type { EventLog, ProjectScope } from '../../bus/contract.ts';
import { startWoken, type Wakeups } from '../../../engine/runs/contract.ts';
import { readSince } from '../../../platform/schema/contract.ts';
import { type NamedRequest, notFound } from '../../../platform/resources/contract.ts';
import {
  type BulkReplay,
  countHandled,
  DEFAULT_DELIVERIES,
  exactType,
  formatPosition,
  matchesType,
  MAX_FINISHED,
  MAX_RUNNING,
  parsePosition,
  type ReplayFilter,
  RESERVED_SLOTS,
} from '../domain/bulk-replay.ts';
import { bulkReplayId, keyedReplayId } from '../domain/run-id.ts';
import { HandlerErrors } from '../errors.ts';
import type { EventReplayView } from '../generated/event-replay.ts';
import type { ReplayEventsBody } from '../generated/replay-events.ts';
import {
  cancelBulkReplay,
  countRunningReplays,
  findBulkReplay,
  insertBulkReplay,
  listBulkReplays,
  listRunningReplays,
  recordProgress,
  removeOldReplays,
} from '../store/bulk-replays.ts';
import { type DeadLetter, type DeadLetterFilter, listDeadLetters } from '../store/dead-letters.ts';
import { handlers } from '../store/handlers.ts';
import type { Registry } from './registry.ts';
import { decideReplay, recordReplay, type ReplayDeps } from './replay.ts';

export interface BulkReplaysDeps {
  /** Resolved lazily, because the engine calls this plugin when runs end. */
  replay(): ReplayDeps;
  database: Database;
  registry: Registry;
  events(): Pick<EventLog, 'last' | 'numberAt' | 'page'>;
  wakeups: Pick<Wakeups, 'topic' | 'onTopic'>;
  clock: Clock;
  log: Log;
}

const TOPIC = 'handlers.replay';
const PAGE = 64;
/** Events that one step reads, and that a preview reads at most. */
const EVENTS = 128;
const PREVIEWED_EVENTS = 20_000;
/** Deliveries that a preview lists. */
const LISTED = 20;
/** Deliveries of one replay before it is another one's turn. */
const STEP = 32;
/** Delay before a server takes over what another one may be doing. */
const OTHERS_MS = 50;

/** A delivery that a replay makes again. */
interface Target {
  position: string;
  event_id: string;
  name: string;
}

const NO_STATE = { delivered: 0, declined: 0, refused: 0 };

/**
 * Delivers many events again. A replay is a row with a position; the transaction that records one delivery also moves the
 * position, so each delivery is made once however often servers die, and any server continues.
 */
export class BulkReplays {
  readonly #deps: BulkReplaysDeps;
  readonly #loop: WorkLoop;

  constructor(deps: BulkReplaysDeps) {
    const { clock, log } = deps;
    this.#deps = deps;
    this.#loop = new WorkLoop({
      clock,
      log,
      poll: { min_ms: 200, max_ms: 1000 },
      messages: { failing: 'replaying events failed; retrying', recovered: 'events are replayed again' },
      iterate: () => this.#iterate(),
    });
  }

  start(): () => Promise<void> {
    return startWoken(this.#loop, { wakeups: this.#deps.wakeups, topic: TOPIC, delay_ms: OTHERS_MS });
  }

  /**
   * Begins a replay, or returns the one that an earlier request with the same key has begun. Throws `not_found` for a
   * handler that does not exist, `invalid_request`, `replays_running`.
   */
  async begin(
    call: Omit<NamedRequest, 'name'>,
    body: ReplayEventsBody,
    key: string | undefined,
  ): Promise<EventReplayView> {
    const { database } = this.#deps;
    const { ids, writes, bus } = this.#deps.replay();
    const { scope, by } = call;
    const replay_id = key === undefined ? ids.next('rpl') : bulkReplayId(scope.project_id, key);
    const existing = await findBulkReplay(database, scope, replay_id);
    if (existing) return { ...toView(existing), duplicate: true };
    const plan = await this.#plan(scope, body);
    const now = database.now();
    const replay: BulkReplay = {
      ...{ replay_id, org_id: scope.org_id, project_id: scope.project_id },
      ...plan,
      ...NO_STATE,
      state: 'running',
      requested_by: by.principal?.name ?? '',
      created_at: now,
      updated_at: now,
    };
    const begun = await writes.write(
      { scope, by, name: replay_id },
      'event.replay_many',
      async (tx) => {
        await bus.lock(tx, scope);
        const first = await findBulkReplay(tx, scope, replay_id);
        if (first) return first;
        if ((await countRunningReplays(tx, scope)) >= MAX_RUNNING)
          throw HandlerErrors.replaysRunning(`${MAX_RUNNING} replays of this project are running`);
        await removeOldReplays(tx, scope, MAX_FINISHED);
        await insertBulkReplay(tx, replay);
        return replay;
      },
      () => describeFilter(plan.filter, plan.most),
    );
    this.#wake();
    return toView(begun);
  }

  /** Returns what a replay would deliver, without delivering anything. Predicates are not evaluated. */
  async preview(
    scope: Scope,
    body: ReplayEventsBody,
  ): Promise<{ deliveries: number; complete: boolean; first: { event: string; handler: string }[] }> {
    const plan = await this.#plan(scope, body);
    const { database } = this.#deps;
    const first: { event: string; handler: string }[] = [];
    let deliveries = 0;
    if (plan.filter.failed) {
      const read = (after: DeadLetter | undefined, limit: number) =>
        listDeadLetters(database, scope, letterFilter(plan.filter), { limit, after: after?.letter_id ?? '' });
      for await (const { type, event_id, name } of inPages(EVENTS, read)) {
        if (!matchesType(plan.filter, type)) continue;
        if (deliveries === plan.most) return { deliveries, complete: false, first };
        if (first.length < LISTED) first.push({ event: event_id, handler: name });
        deliveries += 1;
      }
      return { deliveries, complete: true, first };
    }
    const match = await this.#matcher(scope, plan.filter);
    let { seq } = parsePosition(plan.position);
    for (let read = 0; read < PREVIEWED_EVENTS; read += EVENTS) {
      const events = await this.#events(scope, plan, seq);
      for (const event of events)
        for (const handler of match(event.type)) {
          if (first.length < LISTED) first.push({ event: event.event_id, handler });
          deliveries += 1;
        }
      if (deliveries > plan.most) return { deliveries: plan.most, complete: false, first };
      if (events.length < EVENTS) return { deliveries, complete: true, first };
      seq = events.at(-1)!.seq;
    }
    return { deliveries, complete: false, first };
  }

  async read(scope: ProjectScope, replay_id: string): Promise<EventReplayView> {
    const replay = await findBulkReplay(this.#deps.database, scope, replay_id);
    if (!replay) throw notFound({ noun: 'replay' }, replay_id);
    return toView(replay);
  }

  async list(
    scope: ProjectScope,
    { limit, before }: Page,
  ): Promise<{ items: EventReplayView[]; next_cursor?: string }> {
    const rows = await listBulkReplays(this.#deps.database, scope, { limit: limit + 1, before });
    const { items, ...rest } = pageOf(rows, limit, ({ replay_id }) => replay_id);
    return { items: items.map(toView), ...rest };
  }

  /** Ends a replay; what it has started continues. A replay that has ended stays as it is. Throws `not_found`. */
  async cancel(call: NamedRequest): Promise<EventReplayView> {
    const { database } = this.#deps;
    const { writes } = this.#deps.replay();
    await this.read(call.scope, call.name);
    await writes.write(call, 'event.replay_cancel', (tx) =>
      cancelBulkReplay(tx, call.scope, call.name, database.now()),
    );
    return this.read(call.scope, call.name);
  }

  #wake(): void {
    this.#loop.wake();
    this.#deps.wakeups.topic(TOPIC);
  }

  /** Events that are recorded later are not part of the replay. */
  async #plan(
    scope: Scope,
    body: ReplayEventsBody,
  ): Promise<Pick<BulkReplay, 'filter' | 'most' | 'before_seq' | 'position'>> {
    const { database } = this.#deps;
    const { type, handler, failed, force, limit: most = DEFAULT_DELIVERIES } = body;
    if (type === undefined && handler === undefined && !failed)
      throw Errors.invalidRequest('set type, handler or failed', {
        errors: [{ pointer: '/type', message: 'is required without handler and failed' }],
      });
    if (handler !== undefined) await handlers.get(database, scope, handler);
    const now = database.now();
    const since = body.since === undefined ? undefined : readSince(body.since, now, 'since', '/since');
    const until = body.until === undefined ? undefined : readSince(body.until, now, 'until', '/until');
    const filter: ReplayFilter = {
      ...{ type, handler, since },
      // A letter that appears while the replay runs is not part of it, or what fails each time would never end.
      until: failed ? (until ?? now + 1) : until,
      failed: failed || undefined,
      force: force || undefined,
    };
    if (failed) return { filter, most, before_seq: 0, position: '' };
    const events = this.#deps.events();
    const end = (await events.last(scope.project_id)) + 1;
    const low = since === undefined ? 0 : await events.numberAt(scope.project_id, since, { low: 0, high: end });
    const high = until === undefined ? end : await events.numberAt(scope.project_id, until, { low, high: end });
    return { filter, most, before_seq: high, position: formatPosition(Math.max(0, low - 1), '') };
  }

  #events(scope: ProjectScope, { filter, before_seq }: Pick<BulkReplay, 'filter' | 'before_seq'>, after: number) {
    return this.#deps.events().page(scope, { type: exactType(filter), after, before: before_seq, limit: EVENTS });
  }

  /** Returns the function that lists the handlers of a type, in the order of their names. */
  async #matcher(scope: ProjectScope, filter: ReplayFilter): Promise<(type: string) => string[]> {
    const { database, registry } = this.#deps;
    const index = await database.transaction((tx) => registry.indexOf(tx, scope));
    return (type) =>
      !matchesType(filter, type)
        ? []
        : index
            .match(type)
            .map(({ name }) => name)
            .filter((name) => filter.handler === undefined || name === filter.handler)
            .sort((a, b) => (a < b ? -1 : 1));
  }

  async #iterate(): Promise<IterationResult> {
    const { database } = this.#deps;
    let [processed, hasMore, failure]: [number, boolean, unknown] = [0, false, undefined];
    const due = (after: BulkReplay | undefined, limit: number) => listRunningReplays(database, after, limit);
    for await (const replay of inPages(PAGE, due)) {
      if (this.#loop.stopped) break;
      try {
        const handled = await this.#step(replay);
        processed += handled;
        hasMore ||= handled > 0;
      } catch (error) {
        failure ??= error;
      }
    }
    return { processed, hasMore, failure };
  }

  /** Returns how much it has done; 0 if it waits for slots. */
  async #step(from: BulkReplay): Promise<number> {
    const { targets, end } = await this.#targets(from);
    await this.#deps.replay().sealer.prepare(from.org_id);
    let at = from;
    let unsaved = from;
    for (const target of targets) {
      if (countHandled(unsaved) >= from.most) break;
      const outcome = await this.#deliver(at, unsaved, target);
      if (outcome === 'waits') break;
      if (outcome === 'moved') return 1;
      unsaved = outcome.replay;
      if (outcome.saved) at = unsaved;
    }
    const last = targets.at(-1)?.position;
    const handled_all = last === undefined || unsaved.position === last;
    const done = countHandled(unsaved) >= from.most || (handled_all && end.done);
    if (handled_all && !done && end.position !== undefined) unsaved = { ...unsaved, position: end.position };
    if (done) unsaved = { ...unsaved, state: 'done' };
    if (unsaved !== at) await recordProgress(this.#deps.database, at, unsaved, this.#deps.database.now());
    return unsaved === from ? 0 : 1;
  }

  /** Returns the next deliveries of a replay, and what follows once they are made. */
  async #targets(replay: BulkReplay): Promise<{ targets: Target[]; end: { done: boolean; position?: string } }> {
    const { filter, position } = replay;
    if (filter.failed) {
      const letters = await listDeadLetters(this.#deps.database, replay, letterFilter(filter), {
        limit: STEP,
        after: position,
      });
      const targets = letters
        .filter(({ type }) => matchesType(filter, type))
        .map(({ letter_id, event_id, name }) => ({ position: letter_id, event_id, name }));
      return { targets, end: { done: letters.length < STEP, position: letters.at(-1)?.letter_id ?? position } };
    }
    const { seq, name } = parsePosition(position);
    // The event of the position may have more handlers.
    const events = await this.#events(replay, replay, name === '' ? seq : seq - 1);
    const match = await this.#matcher(replay, filter);
    const targets: Target[] = [];
    for (const [index, event] of events.entries()) {
      for (const handler of match(event.type))
        if (event.seq > seq || handler > name)
          targets.push({ position: formatPosition(event.seq, handler), event_id: event.event_id, name: handler });
      if (targets.length < STEP) continue;
      const done = index === events.length - 1 && events.length < EVENTS;
      return { targets, end: { done, position: formatPosition(event.seq, '') } };
    }
    const last = events.at(-1);
    return {
      targets,
      end: { done: events.length < EVENTS, ...(last && { position: formatPosition(last.seq, '') }) },
    };
  }

  /** Makes one delivery. Deliveries that start nothing are counted, and saved with the next one that does. */
  async #deliver(
    at: BulkReplay,
    unsaved: BulkReplay,
    { position, event_id, name }: Target,
  ): Promise<{ replay: BulkReplay; saved: boolean } | 'waits' | 'moved'> {
    const deps = this.#deps.replay();
    const { database } = this.#deps;
    const count = (outcome: 'declined' | 'refused') => ({ ...unsaved, position, [outcome]: unsaved[outcome] + 1 });
    const event = await deps.bus.read(at, event_id).catch((error: unknown) => {
      if (isServiceError(error, 'sealed_value_unreadable')) return 'unreadable' as const;
      throw error;
    });
    if (event === 'unreadable') return { replay: count('refused'), saved: false };
    const row = await handlers.find(database, at, name);
    // Both may have been removed since they were listed.
    if (!event || !row) return { replay: { ...unsaved, position }, saved: false };
    const decision = decideReplay(deps, await deps.handlers.read({ scope: at, name }), event, at.filter.force === true);
    if (decision.outcome !== 'start') return { replay: count(decision.outcome), saved: false };
    const request = {
      ...{ event_id, name, event, decision, by: at.requested_by, forced: at.filter.force === true },
      replay_id: keyedReplayId(event_id, name, at.replay_id),
    };
    try {
      return await retryUnknownCommit(() =>
        database.transaction(async (tx: Transaction) => {
          const { state } = await recordReplay(deps, tx, { scope: at }, request, row.revision, RESERVED_SLOTS);
          const replay: BulkReplay =
            state === 'delivered' ? { ...unsaved, position, delivered: unsaved.delivered + 1 } : count('refused');
          if (!(await recordProgress(tx, at, replay, database.now()))) throw new MovedError();
          failpoint('handlers.replayed');
          return { replay, saved: true };
        }),
      );
    } catch (error) {
      if (error instanceof MovedError) return 'moved';
      // The handler has just been changed, or no slot is free.
      if (isServiceError(error, 'unavailable') || isServiceError(error, 'handlers_in_flight')) return 'waits';
      throw error;
    }
  }
}

/** Another server has made the delivery, or somebody has cancelled the replay: the transaction is rolled back. */
class MovedError extends Error {}

/** A prefix of types has no index of its own, so the letters are filtered one by one. */
const letterFilter = (filter: ReplayFilter): DeadLetterFilter => ({
  name: filter.handler,
  type: exactType(filter),
  since: filter.since,
  until: filter.until,
});

function describeFilter({ type, handler, failed, force, since, until }: ReplayFilter, most: number): string {
  const parts = [
    failed && 'dead letters',
    type !== undefined && `type ${type}`,
    handler !== undefined && `handler ${handler}`,
    since !== undefined && `since ${iso(since)}`,
    until !== undefined && `until ${iso(until)}`,
    force && 'forced',
    `at most ${most}`,
  ];
  return parts.filter(Boolean).join(', ');
}

const toView = ({
  replay_id,
  state,
  filter,
  requested_by,
  most,
  created_at,
  updated_at,
  ...replay
}: BulkReplay): EventReplayView => ({
  replay: replay_id,
  state,
  type: filter.type,
  handler: filter.handler,
  failed: filter.failed,
  force: filter.force,
  since: filter.since === undefined ? undefined : iso(filter.since),
  until: filter.until === undefined ? undefined : iso(filter.until),
  limit: most,
  delivered: replay.delivered,
  declined: replay.declined,
  refused: replay.refused,
  by: requested_by,
  created_at: iso(created_at),
  updated_at: iso(updated_at),
});
