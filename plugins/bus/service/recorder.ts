import {
  type BatchOutcome,
  BoundedMap,
  distinct,
  failpoint,
  type Ids,
  type Log,
  type Metrics,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import type { EmitResult, EventReaction, NewEvent, ProjectScope, StoredEvent } from '../contract.ts';
import { keptTrace, type Tracer } from '../../tracing/contract.ts';
import { checkedBody } from '../domain/event-rules.ts';
import { fireCancels } from '../store/cancels.ts';
import { isOfUntrustedRun } from '../domain/untrusted.ts';
import { insertDeliveries, noteUntrusted } from '../store/deliveries.ts';
import { insertEvents, sealBody } from '../store/event-rows.ts';
import { type Head, lockHead, moveHead } from '../store/heads.ts';
import { noteTypes } from '../store/types.ts';
import { awaitedTypes, fireWaits } from '../store/waits.ts';
import { canBeHandedOver, isOfTheDatabase } from './handed-over.ts';
import { DRAINED, OutboxExchange, type OutboxParts } from './outbox-exchange.ts';
import { answerDoubles, answerKnown, firstsOf, type Outcomes, resultOf } from './known-events.ts';
import type { Judge, Judged } from './judging.ts';
import type { Recording } from './recording.ts';
import { firePredicates } from './predicates.ts';

export interface RecorderParts extends OutboxParts {
  ids: Ids;
  audit: Pick<Audit, 'recordAll'>;
  log: Log;
  /** Resolved late: reactions start runs, and the engine that creates these emits events. */
  reactions(): readonly EventReaction[];
  judge: Judge;
  tracer: Pick<Tracer, 'current'> | undefined;
  /** Called after a commit that fired waits or cancels. */
  fired(): void;
  /** Called after a commit that recorded events of a project. */
  recorded(project_id: string): void;
}

type Plans = Map<EventReaction, { recording: Recording; plan: unknown }[]>;

const MAX_SHUNNED = 1000;

/**
 * Records events in the caller's transaction, under each project's lock: numbers them in commit order (I7), fires the
 * listening waits and cancels, and calls every reaction. Waking and cancelling are only decided here, and no run's row is
 * locked. Where another server holds the project's head, announcements are left to it.
 */
export class Recorder {
  readonly #parts: RecorderParts;
  readonly #events: ReturnType<Metrics['counter']>;
  readonly #refused: ReturnType<Metrics['counter']>;
  readonly #outbox: OutboxExchange;
  /** Projects of which handed-over events could not be recorded with others; the outbox's loop does them one by one. */
  readonly #shunned = new BoundedMap<string, true>(MAX_SHUNNED);

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#events = parts.metrics.counter('svc_bus_events_total', 'Events recorded, by source.', ['source']);
    this.#refused = parts.metrics.counter('svc_bus_events_refused_total', 'Events that a ceiling refused, by code.', [
      'code',
    ]);
    this.#outbox = new OutboxExchange(parts);
  }

  /** The org's keys must be ready. Throws when the event is invalid. The recording serves all attempts to record it. */
  prepare(given: NewEvent, by?: AuditSource): Recording {
    const event = this.#traced(given);
    return this.#prepare(event, checkedBody(event), this.#parts.judge.begin(), by);
  }

  /** The same within a transaction, each attempt of which prepares anew. */
  prepareAgain(given: NewEvent): Recording {
    const event = this.#traced(given);
    const body = checkedBody(event);
    return this.#prepare(event, body, this.#parts.judge.resume(event, body));
  }

  #traced(event: NewEvent): NewEvent {
    const present = event.trace === undefined ? this.#parts.tracer?.current() : undefined;
    return present ? { ...event, trace: keptTrace(present) } : event;
  }

  #prepare(event: NewEvent, body: Buffer, judged: Judged, by?: AuditSource): Recording {
    const event_id = event.event_id ?? judged.event_id ?? this.#parts.ids.next('evt');
    const pending = { ...event, event_id, payload: event.payload ?? null };
    this.#parts.judge.attach(pending, judged);
    return { event: pending, sealed: sealBody(this.#parts.sealer, event, event_id, body), by, attempted: false };
  }

  /** Before the transaction: the predicates that the event will meet, as far as they are known. */
  async judgeAhead({ event }: Recording): Promise<void> {
    const predicates = this.#parts.reactions().flatMap((reaction) => reaction.predicates?.(event) ?? []);
    await this.#parts.judge.ahead(event, predicates);
  }

  /** One outcome for each recording, in order. Locks the projects in byte order of their ids. */
  async record(tx: Transaction, recordings: readonly Recording[]): Promise<BatchOutcome<EmitResult>[]> {
    const outcomes: Outcomes = new Map();
    for (const project_id of distinct(recordings, ({ event }) => event.project_id)) {
      const own = recordings.filter(({ event }) => event.project_id === project_id);
      const { org_id } = own[0]!.event;
      if (await this.#handOver(tx, project_id, own, outcomes)) continue;
      await this.#recordWithOthers(tx, { org_id, project_id }, own, outcomes);
    }
    return recordings.map((recording) => outcomes.get(recording)!);
  }

  /** What others have handed over comes first, but must not make this fail twice. */
  async #recordWithOthers(
    tx: Transaction,
    scope: ProjectScope,
    own: readonly Recording[],
    outcomes: Outcomes,
  ): Promise<void> {
    const head = await lockHead(tx, scope);
    const shunned = this.#shunned.get(scope.project_id) === true;
    try {
      const before = shunned ? [] : await this.#outbox.take(tx, scope.project_id, head);
      // There are more, and the events of one run keep their order: these go to their end.
      const last = before.length >= DRAINED && own.every(canBeHandedOver);
      await this.#recordAll(tx, scope, head, last ? before : [...before, ...own], outcomes);
      if (last) await this.#outbox.leave(tx, own, outcomes);
      await this.#outbox.settle(tx, before, outcomes);
    } catch (error) {
      if (!shunned && !isOfTheDatabase(error)) this.#shunned.set(scope.project_id, true);
      throw error;
    }
  }

  putAside(tx: Transaction, scope: ProjectScope, error: unknown): Promise<string | undefined> {
    return this.#outbox.putAside(tx, scope, error);
  }

  /** Numbers events that other servers have handed over. Answers how many. The org's keys must be ready. */
  async drain(tx: Transaction, scope: ProjectScope, limit = DRAINED): Promise<number> {
    const head = await lockHead(tx, scope);
    const before = await this.#outbox.take(tx, scope.project_id, head, limit);
    if (before.length === 0) return 0;
    const outcomes: Outcomes = new Map();
    await this.#recordAll(tx, scope, head, before, outcomes);
    await this.#outbox.settle(tx, before, outcomes);
    tx.afterCommit(() => this.#shunned.delete(scope.project_id));
    return before.length;
  }

  /** True when all of them could be left to another server: nobody waits for what becomes of them. */
  async #handOver(
    tx: Transaction,
    project_id: string,
    own: readonly Recording[],
    outcomes: Outcomes,
  ): Promise<boolean> {
    if (!own.every(canBeHandedOver) || !(await this.#parts.sequencer.elsewhere(tx, project_id))) return false;
    await this.#outbox.leave(tx, own, outcomes);
    return true;
  }

  async #recordAll(
    tx: Transaction,
    scope: ProjectScope,
    head: Head,
    own: readonly Recording[],
    outcomes: Outcomes,
  ): Promise<void> {
    await answerKnown(tx, scope, own, outcomes);
    const fresh = own.filter((recording) => !outcomes.has(recording));
    const firsts = firstsOf(fresh);
    const plans = await this.#decide(tx, scope, firsts, outcomes);
    const accepted = firsts.filter((recording) => !outcomes.has(recording));
    for (const recording of accepted) {
      recording.attempted = true;
      outcomes.set(recording, { ok: resultOf(recording, false) });
    }
    if (accepted.length > 0) await this.#write(tx, scope, head, accepted, plans);
    answerDoubles(fresh, firsts, outcomes);
  }

  /** Asks every reaction for its plans. An event refused by one is not shown to the next. */
  async #decide(
    tx: Transaction,
    scope: ProjectScope,
    firsts: readonly Recording[],
    outcomes: Outcomes,
  ): Promise<Plans> {
    const plans: Plans = new Map();
    for (const reaction of this.#parts.reactions()) {
      const open = firsts.filter((recording) => !outcomes.has(recording));
      if (open.length === 0) break;
      const decided = await reaction.decide(
        tx,
        scope,
        open.map(({ event }) => event),
        this.#parts.judge,
      );
      if (decided.length !== open.length)
        throw new Error(`the reaction ${reaction.name} decided ${decided.length} events of ${open.length}`);
      const planned: { recording: Recording; plan: unknown }[] = [];
      for (const [index, decision] of decided.entries()) {
        const recording = open[index]!;
        if ('refused' in decision) {
          outcomes.set(recording, { error: decision.refused });
          this.#refused.inc({ code: decision.refused.code });
        } else if (decision.plan !== undefined) planned.push({ recording, plan: decision.plan });
      }
      plans.set(reaction, planned);
    }
    return plans;
  }

  async #write(
    tx: Transaction,
    scope: ProjectScope,
    head: Head,
    accepted: readonly Recording[],
    plans: Plans,
  ): Promise<void> {
    // Never earlier than the previous event, whatever the servers' clocks say: lists are cut by time.
    const recorded_at = Math.max(head.at, this.#parts.database.now());
    const stored = new Map<Recording, StoredEvent>();
    for (const [index, recording] of accepted.entries()) {
      const event = { ...recording.event, seq: head.seq + 1 + index, recorded_at };
      this.#parts.judge.recorded(event, recording.event);
      stored.set(recording, event);
    }
    const events = [...stored.values()];
    const written = accepted.map((recording) => ({ event: stored.get(recording)!, sealed: recording.sealed }));
    await insertEvents(tx, written);
    // Before reactions act: runs that they create arm their cancels at the new end of the bus.
    const { holder, until } = this.#parts.sequencer.held(scope.project_id, head);
    await moveHead(tx, scope.project_id, head, { seq: head.seq + accepted.length, at: recorded_at, holder, until });
    await noteTypes(tx, this.#parts.sealer, written);
    await this.#fire(tx, scope, events);
    await this.#apply(tx, scope, stored, plans);
    await this.#parts.audit.recordAll(tx, accepted.flatMap(auditOf));
    tx.afterCommit(() => {
      for (const event of events) {
        this.#events.inc({ source: event.source });
        this.#parts.judge.forget(event);
      }
      this.#parts.recorded(scope.project_id);
    });
  }

  async #fire(tx: Transaction, { project_id }: ProjectScope, events: readonly StoredEvent[]): Promise<void> {
    const types = distinct(events, ({ type }) => type);
    const awaited = await awaitedTypes(tx, project_id, types);
    let fired = 0;
    for (const event of events) {
      if (awaited.waits.has(event.type)) {
        fired += await fireWaits(tx, event);
        fired += await firePredicates(tx, event, this.#parts);
      }
      if (awaited.cancels.has(event.type)) fired += await fireCancels(tx, event);
      if (!isOfUntrustedRun(event)) continue;
      if (awaited.waits.has(event.type)) await noteUntrusted(tx, event, 'bus_waits');
      if (awaited.cancels.has(event.type)) await noteUntrusted(tx, event, 'bus_cancels');
    }
    if (fired === 0) return;
    tx.afterCommit(() => {
      failpoint('bus.fired');
      this.#parts.fired();
    });
  }

  async #apply(
    tx: Transaction,
    scope: ProjectScope,
    stored: ReadonlyMap<Recording, StoredEvent>,
    plans: Plans,
  ): Promise<void> {
    for (const [reaction, planned] of plans) {
      const mine = planned.flatMap(({ recording, plan }) => {
        const event = stored.get(recording);
        return event ? [{ event, plan }] : [];
      });
      if (mine.length === 0) continue;
      await insertDeliveries(tx, scope, await reaction.apply(tx, scope, mine));
    }
  }
}

function auditOf({ event, by }: Recording) {
  const { org_id, project_id, event_id, type } = event;
  return by ? [{ ...by, org_id, project_id, action: 'event.emit', subject: event_id, detail: type }] : [];
}
