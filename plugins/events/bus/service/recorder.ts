import {
  type BatchOutcome,
  BoundedMap,
  type Database,
  distinct,
  failpoint,
  type Ids,
  type Log,
  type Metrics,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../../platform/audit/contract.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import type { EmitResult, EventReaction, NewEvent, PendingEvent, ProjectScope, StoredEvent } from '../contract.ts';
import { encodeTrace, type Tracer } from '../../../platform/tracing/contract.ts';
import { yieldBeforeLarge } from '../../../platform/schema/contract.ts';
import { validateAndSerialize, validateAndSerializeYielding } from '../domain/event-rules.ts';
import { matchCancels } from '../store/cancels.ts';
import { isFromUntrustedRun } from '../domain/untrusted.ts';
import { insertDeliveries, insertUntrustedDeclined } from '../store/deliveries.ts';
import { insertEvents, sealBody, sealContents } from '../store/event-rows.ts';
import { type Head, lockHead, moveHead } from '../store/heads.ts';
import { recordTypes } from '../store/types.ts';
import { findAwaitedTypes, matchWaits } from '../store/waits.ts';
import { isForwardable, isDatabaseUnavailable } from './forwarded-events.ts';
import { MAX_DRAINED, OutboxRelay, type OutboxRelayDeps } from './outbox-relay.ts';
import { resolveDuplicates, resolveRecorded, withoutDuplicates, type Outcomes, resultOf } from './duplicates.ts';
import type { BudgetedEvaluator, EventEvaluation } from './predicate-evaluator.ts';
import type { Recording } from './recording.ts';
import { matchPredicates } from './predicates.ts';

export interface RecorderDeps extends OutboxRelayDeps {
  database: Pick<Database, 'now' | 'read' | 'sql'>;
  masks: Pick<RunMasks, 'of'>;
  ids: Ids;
  audit: Pick<Audit, 'recordAll'>;
  log: Log;
  /** Resolved lazily, because reactions start runs and the engine that creates those emits events. */
  reactions(): readonly EventReaction[];
  evaluator: BudgetedEvaluator;
  tracer: Pick<Tracer, 'current'> | undefined;
  /** Called after a commit that matched waits or cancels. */
  onMatched(): void;
  /** Called after a commit that recorded events of a project. */
  onRecorded(project_id: string): void;
}

type Plans = Map<EventReaction, { recording: Recording; plan: unknown }[]>;

const MAX_ISOLATED = 1000;

/**
 * Records events in the caller's transaction under each project's lock: numbers them in commit order (I7), matches
 * the armed waits and cancels, and calls every reaction. Waking and cancelling are only decided here, and no run row
 * is locked. Where another server holds the project's head, announcements are left to it.
 */
export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #events_total: ReturnType<Metrics['counter']>;
  readonly #rejected_total: ReturnType<Metrics['counter']>;
  readonly #outbox: OutboxRelay;
  /**
   * Projects whose forwarded events could not be recorded together with others; the outbox loop records them one by
   * one, and meanwhile nothing takes them along.
   */
  readonly #isolated = new BoundedMap<string, true>(MAX_ISOLATED);

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
    this.#events_total = deps.metrics.counter('svc_bus_events_total', 'Events recorded, by source.', ['source']);
    this.#rejected_total = deps.metrics.counter(
      'svc_bus_events_refused_total',
      'Events rejected by a limit, by code.',
      ['code'],
    );
    this.#outbox = new OutboxRelay(deps);
  }

  /**
   * Validates an event and seals its body. The org's keys must be ready. The returned recording serves all attempts.
   */
  async prepare(new_event: NewEvent, by?: AuditSource): Promise<Recording> {
    const event = this.#withTrace(new_event);
    const body = await validateAndSerializeYielding(event);
    const pending = this.#toPending(event, body, this.#deps.evaluator.begin());
    const sealed = sealBody(this.#deps.sealer, pending, pending.event_id, body);
    const recording = { event: pending, sealed, by, attempted: false };
    await yieldBeforeLarge(body.length);
    return recording;
  }

  /** Like `prepare`, within a transaction, each attempt of which prepares the event anew. */
  prepareInTransaction(new_event: NewEvent): Recording {
    const event = this.#withTrace(new_event);
    const body = validateAndSerialize(event);
    const pending = this.#toPending(event, body, this.#deps.evaluator.resume(event, body));
    const { sealer } = this.#deps;
    let sealed: Buffer | undefined;
    return {
      event: pending,
      plaintext: body,
      get sealed() {
        sealed ??= sealBody(sealer, pending, pending.event_id, body);
        return sealed;
      },
      by: undefined,
      attempted: false,
    };
  }

  #withTrace(event: NewEvent): NewEvent {
    const present = event.trace === undefined ? this.#deps.tracer?.current() : undefined;
    return present ? { ...event, trace: encodeTrace(present) } : event;
  }

  #toPending(event: NewEvent, body: Buffer, evaluation: EventEvaluation): PendingEvent {
    const event_id = event.event_id ?? evaluation.event_id ?? this.#deps.ids.next('evt');
    const pending = { ...event, event_id, payload: event.payload ?? null, bytes: body.length };
    this.#deps.evaluator.attach(pending, evaluation);
    return pending;
  }

  /** Evaluates the predicates and expressions that the event will meet, as far as they are known before the transaction. */
  async precomputeExpressions({ event }: Recording): Promise<void> {
    const { evaluator } = this.#deps;
    const reactions = this.#deps.reactions();
    const predicates = reactions.flatMap((reaction) => reaction.predicates?.(event) ?? []);
    const results = await evaluator.precompute(event, predicates);
    const expressions = reactions.flatMap((reaction) => reaction.expressions?.(event, results) ?? []);
    await evaluator.precomputeValues(event, expressions);
  }

  /** Returns one outcome for each recording, in order. Locks the projects in byte order of their ids. */
  async record(tx: Transaction, recordings: readonly Recording[]): Promise<BatchOutcome<EmitResult>[]> {
    const outcomes: Outcomes = new Map();
    for (const project_id of distinct(recordings, ({ event }) => event.project_id)) {
      const project_recordings = recordings.filter(({ event }) => event.project_id === project_id);
      const { org_id } = project_recordings[0]!.event;
      if (await this.#forwardAll(tx, project_id, project_recordings, outcomes)) continue;
      await this.#recordWithForwarded(tx, { org_id, project_id }, project_recordings, outcomes);
    }
    return recordings.map((recording) => outcomes.get(recording)!);
  }

  /**
   * Records forwarded events first. If they make the transaction fail, the next attempt leaves them out: announcements
   * then join the outbox, to keep the order of each run, and only events whose callers wait are recorded at once.
   */
  async #recordWithForwarded(
    tx: Transaction,
    scope: ProjectScope,
    recordings: readonly Recording[],
    outcomes: Outcomes,
  ): Promise<void> {
    const head = await lockHead(tx, scope);
    const forwardable = recordings.every(isForwardable);
    // Another server has taken the lease meanwhile. The outbox may hold earlier events of the same runs.
    if (forwardable && !this.#deps.sequencer.mayNumber(head)) return this.#outbox.forward(tx, recordings, outcomes);
    const isolated = this.#isolated.get(scope.project_id) === true;
    if (forwardable && isolated) return this.#outbox.forward(tx, recordings, outcomes);
    let forwarded: readonly Recording[] | undefined;
    try {
      forwarded = isolated ? [] : await this.#outbox.drain(tx, scope.project_id, head);
      // More events are waiting, and the events of one run must keep their order, so these are appended to the
      // outbox.
      const has_more = forwarded.length >= MAX_DRAINED && forwardable;
      await this.#recordAll(tx, scope, head, has_more ? forwarded : [...forwarded, ...recordings], outcomes);
      if (has_more) await this.#outbox.forward(tx, recordings, outcomes);
      await this.#outbox.writeOutcomes(tx, forwarded, outcomes);
    } catch (error) {
      // Without forwarded events, the failure says nothing about them.
      if (forwarded?.length !== 0 && !isDatabaseUnavailable(error)) this.#isolated.set(scope.project_id, true);
      throw error;
    }
  }

  setAside(tx: Transaction, scope: ProjectScope, error: unknown): Promise<string | undefined> {
    return this.#outbox.setAside(tx, scope, error);
  }

  /** Numbers events that other servers have forwarded, and returns how many. The org's keys must be ready. */
  async drain(tx: Transaction, scope: ProjectScope, limit = MAX_DRAINED): Promise<number> {
    const head = await lockHead(tx, scope);
    const forwarded = await this.#outbox.drain(tx, scope.project_id, head, limit);
    if (forwarded.length === 0) return 0;
    const outcomes: Outcomes = new Map();
    await this.#recordAll(tx, scope, head, forwarded, outcomes);
    await this.#outbox.writeOutcomes(tx, forwarded, outcomes);
    tx.afterCommit(() => this.#isolated.delete(scope.project_id));
    return forwarded.length;
  }

  /** Leaves all events to another server and returns true, if nobody waits for their outcomes. */
  async #forwardAll(
    tx: Transaction,
    project_id: string,
    recordings: readonly Recording[],
    outcomes: Outcomes,
  ): Promise<boolean> {
    if (!recordings.every(isForwardable) || !(await this.#deps.sequencer.isNumberedElsewhere(tx, project_id)))
      return false;
    await this.#outbox.forward(tx, recordings, outcomes);
    return true;
  }

  async #recordAll(
    tx: Transaction,
    scope: ProjectScope,
    head: Head,
    recordings: readonly Recording[],
    outcomes: Outcomes,
  ): Promise<void> {
    await resolveRecorded(tx, scope, recordings, outcomes);
    const unrecorded = recordings.filter((recording) => !outcomes.has(recording));
    const firsts = withoutDuplicates(unrecorded);
    const plans = await this.#decide(tx, scope, firsts, outcomes);
    const accepted = firsts.filter((recording) => !outcomes.has(recording));
    for (const recording of accepted) {
      recording.attempted = true;
      outcomes.set(recording, { ok: resultOf(recording, false) });
    }
    if (accepted.length > 0) await this.#write(tx, scope, head, accepted, plans);
    resolveDuplicates(unrecorded, firsts, outcomes);
  }

  /** Asks every reaction for its plans. An event that one refuses is not passed to the next. */
  async #decide(
    tx: Transaction,
    scope: ProjectScope,
    firsts: readonly Recording[],
    outcomes: Outcomes,
  ): Promise<Plans> {
    const plans: Plans = new Map();
    for (const reaction of this.#deps.reactions()) {
      const undecided = firsts.filter((recording) => !outcomes.has(recording));
      if (undecided.length === 0) break;
      const decided = await reaction.decide(
        tx,
        scope,
        undecided.map(({ event }) => event),
        this.#deps.evaluator,
      );
      if (decided.length !== undecided.length)
        throw new Error(`the reaction ${reaction.name} decided ${decided.length} events of ${undecided.length}`);
      const planned: { recording: Recording; plan: unknown }[] = [];
      for (const [index, decision] of decided.entries()) {
        const recording = undecided[index]!;
        if ('refused' in decision) {
          outcomes.set(recording, { error: decision.refused });
          this.#rejected_total.inc({ code: decision.refused.code });
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
    // Never earlier than the previous event, whatever the servers' clocks say, because lists are split by time.
    const recorded_at = Math.max(head.at, this.#deps.database.now());
    const stored = new Map<Recording, StoredEvent>();
    for (const [index, recording] of accepted.entries()) {
      const event = { ...recording.event, seq: head.seq + 1 + index, recorded_at };
      this.#deps.evaluator.transfer(event, recording.event);
      stored.set(recording, event);
    }
    const events = [...stored.values()];
    const written = sealContents(
      this.#deps.sealer,
      accepted.map((recording) => ({ event: stored.get(recording)!, recording })),
    );
    await insertEvents(tx, written);
    // Before reactions act, because the runs that they create arm their cancels at the new end of the bus.
    const { holder, until } = this.#deps.sequencer.leaseFor(scope.project_id, head);
    await moveHead(tx, scope.project_id, head, { seq: head.seq + accepted.length, at: recorded_at, holder, until });
    await recordTypes(tx, this.#deps.sealer, written);
    await this.#matchArmed(tx, scope, events);
    await this.#apply(tx, scope, stored, plans);
    await this.#deps.audit.recordAll(tx, accepted.flatMap(auditEntries));
    tx.afterCommit(() => {
      for (const event of events) {
        this.#events_total.inc({ source: event.source });
        this.#deps.evaluator.evict(event);
      }
      this.#deps.onRecorded(scope.project_id);
    });
  }

  async #matchArmed(tx: Transaction, { project_id }: ProjectScope, events: readonly StoredEvent[]): Promise<void> {
    const types = distinct(events, ({ type }) => type);
    const awaited = await findAwaitedTypes(tx, project_id, types);
    let matched_count = 0;
    for (const event of events) {
      if (awaited.waits.has(event.type)) {
        matched_count += await matchWaits(tx, event);
        matched_count += await matchPredicates(tx, event, this.#deps);
      }
      if (awaited.cancels.has(event.type)) matched_count += await matchCancels(tx, event);
      if (!isFromUntrustedRun(event)) continue;
      if (awaited.waits.has(event.type)) await insertUntrustedDeclined(tx, event, 'bus_waits');
      if (awaited.cancels.has(event.type)) await insertUntrustedDeclined(tx, event, 'bus_cancels');
    }
    if (matched_count === 0) return;
    tx.afterCommit(() => {
      failpoint('bus.fired');
      this.#deps.onMatched();
    });
  }

  async #apply(
    tx: Transaction,
    scope: ProjectScope,
    stored: ReadonlyMap<Recording, StoredEvent>,
    plans: Plans,
  ): Promise<void> {
    for (const [reaction, planned] of plans) {
      const accepted = planned.flatMap(({ recording, plan }) => {
        const event = stored.get(recording);
        return event ? [{ event, plan }] : [];
      });
      if (accepted.length === 0) continue;
      await insertDeliveries(tx, scope, await reaction.apply(tx, scope, accepted));
    }
  }
}

function auditEntries({ event, by }: Recording) {
  const { org_id, project_id, event_id, type } = event;
  return by ? [{ ...by, org_id, project_id, action: 'event.emit', subject: event_id, detail: type }] : [];
}
