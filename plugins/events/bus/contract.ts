import type { EventSource } from './contract/event-sources.ts';
import {
  type BatchOutcome,
  type EvaluationResult,
  extensionPoint,
  movedPoint,
  type Queries,
  type ServiceError,
  token,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Json } from '../../engine/runs/contract.ts';
import type { PredicateResult } from './contract/predicate-result.ts';
import type { WaitValues } from './contract/wait-values.ts';

export * from './contract/event-inlets.ts';
export { toAnyWait, validateAnyWait } from './contract/any-wait.ts';
export { validateEventType } from './contract/event-type.ts';
export { KEY_HEADER, keyDigest } from './contract/idempotency-key.ts';
export { readPredicate, type WaitValues } from './contract/wait-values.ts';
export { type PredicateResult, toPredicateResult, PREDICATE_ROOTS } from './contract/predicate-result.ts';

/** The source of an event. Trust depends on the source and never on the type. */
export type { EventSource };

export interface ProjectScope {
  org_id: string;
  project_id: string;
}

/** An event as its source emits it. */
export interface NewEvent extends ProjectScope {
  /** Left out, the bus generates an id. */
  event_id?: string;
  type: string;
  /** The subject of the event; null makes it a broadcast. */
  key: string | null;
  payload: Json;
  /** More fields of the envelope, such as `ref`, `sha`, `repo`, `schedule` or `parent`. */
  fields?: { [name: string]: Json };
  source: EventSource;
  /**
   * Who emitted it: the name of a hook, webhook or schedule, the id of the run that emitted it or that it reports on,
   * or '' when a person emitted it.
   */
  source_name: string;
  /** 0 for events from outside of handler runs, otherwise the generation of the emitting run. */
  generation: number;
  trusted: boolean;
  /**
   * Deduplication key, at most 200 characters. Emitting a second event with the same key in a project returns the
   * first one.
   */
  dedup?: string;
  /**
   * Whether the emitter waits for the result. If so, a limit rejects the event; otherwise handler runs above the
   * limit are queued.
   */
  refusable: boolean;
  /** Handlers do not receive the event. Set for the lifecycle of a handler run, which would otherwise start itself. */
  withheld?: boolean;
  /**
   * The span that caused the event, encoded by `encodeTrace`; runs that the event starts become its children. Null
   * means none; left out, the caller's current span is used.
   */
  trace?: string | null;
  /**
   * What is known about the delivery if the event came from outside. Reactions see it, but it is not stored with the
   * event.
   */
  delivery?: InboundDelivery;
}

export interface InboundDelivery {
  /** The sender's own id of the delivery. */
  sent_id?: string;
  /** Whether it was signed with the secret from before a rotation. */
  old_secret?: boolean;
  /** The delivery that this one repeats, and the name of whoever requested the redelivery. */
  redelivery_of?: { of: string; by: string };
}

/** An event that is about to be recorded and already has its id. */
export type PendingEvent = NewEvent & {
  event_id: string;
  /** Set when another server accepted the event earlier and left it in the outbox to be numbered. */
  forwarded?: true;
  /** About how many bytes of JSON its content has. Set while the event is being recorded. */
  bytes?: number;
};

/** A recorded event. */
export interface StoredEvent extends PendingEvent {
  /** Sequence number within the project, in commit order. */
  seq: number;
  recorded_at: number;
}

/** The JSON that reactions receive: scripts read it from their input file, waits return it as their output. */
export interface Envelope {
  type: string;
  event: string;
  key?: string;
  payload: Json;
  /** False when nobody vouches for the event: a fork's pull request caused it, or an untrusted run emitted it. */
  trusted: boolean;
  [field: string]: Json | undefined;
}

/** Returns the complete event as reactions see it; it is never shortened. */
export function envelopeOf(event: PendingEvent): { type: string; [field: string]: Json } {
  const { type, event_id, key, payload, trusted, fields = {} } = event;
  return { ...fields, type, event: event_id, ...(key === null ? {} : { key }), trusted, payload };
}

/**
 * True when a run with this subject receives an event with this key. Both must be present for the subject to narrow
 * anything.
 */
export const subjectMatches = (run_subject: string | null, key: string | null): boolean =>
  run_subject === null || key === null || run_subject === key;

const RESERVED: readonly string[] = ['push', 'manual', 'schedule.tick', 'spawn'];

/** True for types that only the service itself may emit. */
export const isReserved = (type: string): boolean => RESERVED.includes(type) || /^(run|svc)\./.test(type);

/** True when any type that begins with `<name>.` is reserved for the service. */
export const isReservedPrefix = (name: string): boolean =>
  isReserved(`${name}.x`) || RESERVED.some((type) => type.startsWith(`${name}.`));

/** Maximum size of an emit in bytes, counting the JSON of its type, key and payload. */
export const EMIT_BYTES = 2 * 1024 * 1024;

/** Returns why a key is invalid, or undefined. Keys have 1 to 255 characters and no control characters. */
export function validateEventKey(key: string): string | undefined {
  if (key === '') return 'must not be empty; leave it out to reach every run';
  // A character takes at most two UTF-16 units, so a huge text is rejected without splitting it.
  if (key.length > 510 || [...key].length > 255) return 'must have at most 255 characters';
  if (/\p{Cc}/u.test(key)) return 'must not contain control characters';
  return key.isWellFormed() ? undefined : 'must be valid Unicode';
}

/** The outcome of an event for one reaction. Users see it with the event. */
export interface Delivery {
  event_id: string;
  /** One of `handler`, `webhook`, `wait` and `cancel`. */
  reaction: string;
  /** The name of the handler or webhook, or the id of the run for waits and cancels. */
  name: string;
  state: 'delivered' | 'declined' | 'refused' | 'queued';
  /** Why it was declined or refused, in words for people. */
  reason?: string;
  /** The run that was started, woken or cancelled. */
  run_id?: string;
}

/** What a queued delivery waits for now. */
export interface DeliveryWait {
  /** Such as `throttle`, or `slot`: one of the runs that the project may have in flight. */
  for: string;
  /** When it goes on, or may go on; absent if no time is known. */
  until?: number;
  /** How many other deliveries wait for the same. */
  others: number;
}

/** A recorded event that somebody replayed to one handler. */
export interface Replay extends Omit<Delivery, 'reaction'> {
  replay_id: string;
  /** The name of whoever requested the replay. */
  by: string;
  at: number;
  /** Whether the handler's predicate was skipped. */
  forced: boolean;
}

/** Evaluates predicates and other expressions over events. All expressions of one event share a budget. */
export interface PredicateEvaluator {
  /**
   * Returns a result for every predicate, by its text. When evaluation would hold the locks for too long it throws
   * instead, and the transaction is retried once the results are ready.
   */
  evaluate(event: PendingEvent, predicates: readonly string[]): ReadonlyMap<string, PredicateResult>;
  /** Returns the value of every expression, by its text. Throws like `evaluate`. */
  compute(event: PendingEvent, expressions: readonly string[]): ReadonlyMap<string, EvaluationResult>;
}

/**
 * Something that events start. The bus calls it with the new events of one project while it holds that project's
 * lock: first `decide` for all events, then `apply` for those that no reaction refused. Both may run again after a
 * deadlock.
 */
export interface EventReaction<Plan = unknown> {
  name: string;
  /** Lower values decide first. Handlers use 100, inline workflows of webhooks 200. */
  precedence: number;
  /**
   * Predicates that `decide` will probably need, as far as this process knows without querying the database. They are
   * evaluated before the transaction.
   */
  predicates?(event: PendingEvent): readonly string[];
  /** Returns the expressions whose values `decide` will probably need then, given the results of its predicates. */
  expressions?(event: PendingEvent, results: ReadonlyMap<string, PredicateResult>): readonly string[];
  /**
   * Returns one decision for each event, in order. A refused event does not count towards the limits of later ones.
   * It may write only what follows from events that cannot be refused.
   */
  decide(
    tx: Transaction,
    scope: ProjectScope,
    events: readonly PendingEvent[],
    evaluator: PredicateEvaluator,
  ): Promise<readonly ({ refused: ServiceError } | { plan: Plan | undefined })[]>;
  /** Carries out the plans of the recorded events and returns the deliveries to show. */
  apply(
    tx: Transaction,
    scope: ProjectScope,
    planned: readonly { event: StoredEvent; plan: Plan }[],
  ): Promise<readonly Delivery[]>;
  /**
   * Returns which of the events (at most 128) it still has to read. Old events are not pruned as long as a reaction returns
   * them.
   */
  findProtected?(scope: ProjectScope, event_ids: readonly string[]): Promise<readonly string[]>;
  /** Returns what queued deliveries of an event wait for, by their names. */
  describeQueued?(event: StoredEvent, names: readonly string[]): Promise<ReadonlyMap<string, DeliveryWait>>;
}

export const EventReactions = extensionPoint<EventReaction>('bus.EventReactions', { key: (reaction) => reaction.name });

/** @deprecated Version 0.4.0 removes it. */
export type RetentionExemption = Required<Pick<EventReaction, 'name' | 'findProtected'>>;

/** @deprecated Contribute a reaction with `findProtected` to `EventReactions`. Version 0.4.0 removes this point. */
export const EventKeepers = movedPoint(
  'bus.EventKeepers',
  EventReactions,
  ({ name, findProtected }: RetentionExemption): EventReaction => ({
    name: `keeper of ${name}`,
    precedence: Number.MAX_SAFE_INTEGER,
    decide: async (_tx, _scope, events) => events.map(() => ({ plan: undefined })),
    apply: async () => [],
    findProtected,
  }),
);

/** Event types that the project's own resources declare, for the catalog of types. */
export interface DeclaredTypes {
  name: string;
  types(scope: ProjectScope): Promise<readonly string[]>;
}

export const DeclaredTypes = extensionPoint<DeclaredTypes>('bus.DeclaredTypes', { key: (declared) => declared.name });

export interface EmitResult {
  event_id: string;
  type: string;
  /** The deduplication key was used before; this is the first event. */
  duplicate: boolean;
}

export interface EventBus {
  /**
   * Records an event together with everything it starts; many events share one commit. Throws `event_type_invalid`,
   * `event_type_reserved` (only for the source `emit`), `payload_too_large`, `invalid_request`, and `chain_too_deep`
   * or `handlers_in_flight` for refusable events.
   */
  emit(event: NewEvent): Promise<EmitResult>;
  /**
   * If another server numbers the project's events, lets that server record this one before the caller's own
   * transaction, and returns its outcome. Returns undefined if this server numbers them, or if `isCurrent`, which runs
   * in the transaction that forwards the event, returns false. The event needs a `dedup` key, because the caller may
   * crash before it has recorded the outcome.
   */
  recordRemotely(
    event: NewEvent & { dedup: string },
    isCurrent: (tx: Transaction) => Promise<boolean>,
  ): Promise<BatchOutcome<EmitResult> | undefined>;
  /**
   * Records events in the caller's transaction. The projects' locks come after the caller's run and activity locks.
   * The caller must call `Sealer.prepare` for every org before its transaction. Throws when a refusable event is
   * refused.
   */
  record(tx: Transaction, events: readonly NewEvent[]): Promise<EmitResult[]>;
  /** Holds the project's lock until the transaction ends. It is reentrant. */
  lock(tx: Transaction, scope: ProjectScope): Promise<void>;
  /**
   * Returns a recorded event, or undefined when the project has none with that id. `on` is the transaction to read
   * in.
   */
  read(
    scope: ProjectScope,
    event_id: string,
    on?: Pick<Queries, 'read'>,
    /** Limits the lookup to events of this source; the body of any other event, which may be large, is not read. */
    source?: EventSource,
  ): Promise<StoredEvent | undefined>;
  /** Returns which of these deduplication keys have an event. The caller holds the project's lock. */
  findDuplicates(tx: Transaction, scope: ProjectScope, dedups: readonly string[]): Promise<Set<string>>;
  /** Updates queued deliveries whose handler runs have started or will never start. */
  updateDeliveries(tx: Transaction, scope: ProjectScope, deliveries: readonly Delivery[]): Promise<void>;
  /** Records the outcome of a replay in the transaction that produced it. The caller holds the project's lock. */
  recordReplay(tx: Transaction, scope: ProjectScope, replay: Replay): Promise<void>;
  findReplay(
    on: Pick<Queries, 'read'>,
    scope: ProjectScope,
    replay: Pick<Replay, 'event_id' | 'name' | 'replay_id'>,
  ): Promise<Replay | undefined>;
}

/** Arguments of a `wait-event` wait besides its name, which is the event type. Scripts pass `vars`, nodes `values`. */
export interface EventWaitArgs {
  /** A CEL expression over `event`, the complete envelope. An event for which it is false leaves the wait in place. */
  when?: string;
  /** What `when` reads besides the event, by the names of its roots; see `readPredicate`. */
  values?: WaitValues;
  /** Variables of a script: `when` can read them as `vars`, and the run as `run`. */
  vars?: { [name: string]: Json };
  /** The signal that also ends the wait; `event:<type>:<activity>` by default. */
  signal?: string;
  /** Whether events from untrusted runs end it too. Waits of untrusted runs always accept them. */
  untrusted?: boolean;
}

export const EventBus = token<EventBus>('bus.EventBus');

/** A recorded event without its payload. */
export type LoggedEvent = Pick<StoredEvent, 'seq' | 'event_id' | 'type' | 'source' | 'source_name' | 'recorded_at'>;

/**
 * The events of a project as a log of what happened when. Sequence numbers follow commit order, and times never
 * decrease along them. A query reads only the events in its range.
 */
export interface EventLog {
  /** Returns the logs of projects with ids above `after`, in the order of these. */
  heads(after: string, limit: number): Promise<(ProjectScope & { last_seq: number })[]>;
  /** Returns the sequence number of the last event, or 0 if there is none. */
  last(project_id: string): Promise<number>;
  /**
   * Returns the first sequence number from `low` on whose event was recorded at or after `at`, or `high` if there is
   * none below it.
   */
  numberAt(project_id: string, at: number, bounds: { low: number; high: number }): Promise<number>;
  /** Counts the events of each type with sequence numbers in [`from`, `to`). Types without events are left out. */
  count(project_id: string, types: readonly string[], from: number, to: number): Promise<ReadonlyMap<string, number>>;
  /** Returns events with sequence numbers in (`after`, `before`), oldest first; with a type, only those of that type. */
  page(
    scope: ProjectScope,
    range: { type?: string | undefined; after: number; before: number; limit: number },
  ): Promise<LoggedEvent[]>;
  /** Returns the latest events of a type, newest first. */
  latest(scope: ProjectScope, type: string, limit: number): Promise<LoggedEvent[]>;
}

export const EventLog = token<EventLog>('bus.EventLog');
