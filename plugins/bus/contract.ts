import {
  type BatchOutcome,
  extensionPoint,
  type Queries,
  type ServiceError,
  token,
  type Transaction,
} from '../../kernel/contracts/index.ts';
import type { Json } from '../runs/contract.ts';
import type { Judgement } from './contract/judgement.ts';

export { KEY_HEADER, keyDigest } from './contract/idempotency-key.ts';
export { type Judgement, judgementOf, PREDICATE_ROOTS } from './contract/judgement.ts';

/** The source of an event. Trust depends on the source and never on the type. */
export type EventSource = 'emit' | 'hook' | 'forge' | 'lifecycle' | 'schedule' | 'manual' | 'spawn' | 'account';

export interface ProjectScope {
  org_id: string;
  project_id: string;
}

/** An event as its source passes it. */
export interface NewEvent extends ProjectScope {
  /** Absent: an id is made. */
  event_id?: string;
  type: string;
  /** The subject; null is a broadcast. */
  key: string | null;
  payload: Json;
  /** Further fields of the envelope: `ref`, `sha`, `repo`…, `schedule`, `parent`. */
  fields?: { [name: string]: Json };
  source: EventSource;
  /**
   * Name of the hook, webhook or schedule; id of the run that emitted it or that it reports on; '' for an emit by a
   * person.
   */
  source_name: string;
  /** Generation of the event: 0 from outside of handler runs, otherwise that of the emitting run. */
  generation: number;
  trusted: boolean;
  /** Deduplication key: a second event of the project with this text is the first one again. At most 200 characters. */
  dedup?: string;
  /**
   * An emitter waits for the result: a limit refuses the event. Otherwise handler runs over the limit wait in a queue.
   */
  refusable: boolean;
  /** Handlers do not receive it: the lifecycle of a handler run. */
  withheld?: boolean;
  /**
   * The span that it comes of, as `keptTrace` writes it; null: none. Runs that it starts are below it. Absent: the one in which
   * the caller works.
   */
  trace?: string | null;
  /** It was delivered from outside: what is known of that. Reactions see it; it is not stored with the event. */
  delivery?: InboundDelivery;
}

export interface InboundDelivery {
  /** The sender's own id of it. */
  sent_id?: string;
  /** It was proved by the secret from before a rotation. */
  old_secret?: boolean;
  /** The delivery that this one repeats, and the name of whoever asked for it. */
  again?: { of: string; by: string };
}

/** An event about to be recorded; it has its id. */
export type PendingEvent = NewEvent & {
  event_id: string;
  /** It was made before, on another server, and waited for its number. */
  handed_over?: true;
};

/** A recorded event. */
export interface StoredEvent extends PendingEvent {
  /** Per project, in commit order. */
  seq: number;
  recorded_at: number;
}

/** What reactions receive: scripts in their input file, waits as their output. */
export interface Envelope {
  type: string;
  event: string;
  key?: string;
  payload: Json;
  /** False when nobody vouches for it: a fork's pull request caused it, or an untrusted run emitted it. */
  trusted: boolean;
  [field: string]: Json | undefined;
}

/** The complete event as reactions see it; never shortened. */
export function envelopeOf(event: PendingEvent): { type: string; [field: string]: Json } {
  const { type, event_id, key, payload, trusted, fields = {} } = event;
  return { ...fields, type, event: event_id, ...(key === null ? {} : { key }), trusted, payload };
}

/** True when a subject lets an event through. Narrowing applies only when both the event and the run have one. */
export const subjectMatches = (run_subject: string | null, key: string | null): boolean =>
  run_subject === null || key === null || run_subject === key;

/** Why a text is not a valid event type, or undefined. Types have 1 to 64 characters of `[A-Za-z0-9._-]`. */
export const typeFault = (type: string): string | undefined =>
  /^[A-Za-z0-9._-]{1,64}$/.test(type) ? undefined : 'must have 1 to 64 characters from A-Z a-z 0-9 . _ -';

const RESERVED: readonly string[] = ['push', 'manual', 'schedule.tick', 'spawn'];

/** True for types that only the service may emit. */
export const isReserved = (type: string): boolean => RESERVED.includes(type) || /^(run|svc)\./.test(type);

/** True when some type that begins with `<name>.` is reserved for the service. */
export const isReservedPrefix = (name: string): boolean =>
  isReserved(`${name}.x`) || RESERVED.some((type) => type.startsWith(`${name}.`));

/** Maximum bytes of an emit: the JSON of its type, key and payload. */
export const EMIT_BYTES = 2 * 1024 * 1024;

/** Why a key is invalid, or undefined. Keys have 1 to 255 characters without control characters. */
export function keyFault(key: string): string | undefined {
  if (key === '') return 'must not be empty; leave it out to reach every run';
  // A character has at most two units: a huge text need not be split to be counted.
  if (key.length > 510 || [...key].length > 255) return 'must have at most 255 characters';
  if (/\p{Cc}/u.test(key)) return 'must not contain control characters';
  return key.isWellFormed() ? undefined : 'must be valid Unicode';
}

/** The outcome of an event for one reaction; shown with the event. */
export interface Delivery {
  event_id: string;
  /** `handler`, `webhook`, `wait`, `cancel`. */
  reaction: string;
  /** Name of the handler or webhook; for waits and cancels the run's id. */
  name: string;
  state: 'delivered' | 'declined' | 'refused' | 'queued';
  /** Why it was declined or refused, for people. */
  reason?: string;
  /** The run that was started, woken or cancelled. */
  run_id?: string;
}

/** A recorded event that somebody had delivered again to one handler. */
export interface Replay extends Omit<Delivery, 'reaction'> {
  replay_id: string;
  /** The name of whoever asked for it. */
  by: string;
  at: number;
  /** Whatever the predicate says. */
  forced: boolean;
}

/** Answers predicates over events, with one budget of work for all predicates of an event. */
export interface PredicateJudge {
  /**
   * By the text of the predicate; it has an answer for each. When it would take long it throws: the transaction runs again
   * once the answers are there.
   */
  judge(event: PendingEvent, predicates: readonly string[]): ReadonlyMap<string, Judgement>;
}

/**
 * Something that events start. It is called for the new events of one project under the project's lock, which every
 * recording takes: first `decide` for all events, then `apply` for those that nobody refused. Both may run again after
 * a deadlock.
 */
export interface EventReaction<Plan = unknown> {
  name: string;
  /** Lower first. Handlers have 100, inline workflows of webhooks 200. */
  precedence: number;
  /**
   * Predicates that it will probably ask for, as far as this process knows without a look at the database: they are
   * judged before the transaction.
   */
  predicates?(event: PendingEvent): readonly string[];
  /**
   * One answer for each event, in order. A refused event does not count for later ones. It writes only what follows
   * from events that cannot be refused.
   */
  decide(
    tx: Transaction,
    scope: ProjectScope,
    events: readonly PendingEvent[],
    judge: PredicateJudge,
  ): Promise<readonly ({ refused: ServiceError } | { plan: Plan | undefined })[]>;
  /** Carries out the plans for the recorded events. Answers the deliveries to show. */
  apply(
    tx: Transaction,
    scope: ProjectScope,
    planned: readonly { event: StoredEvent; plan: Plan }[],
  ): Promise<readonly Delivery[]>;
}

export const EventReactions = extensionPoint<EventReaction>('bus.EventReactions', { key: (reaction) => reaction.name });

/** Event types that the project's own resources declare, for the catalog. */
export interface DeclaredTypes {
  name: string;
  types(scope: ProjectScope): Promise<readonly string[]>;
}

export const DeclaredTypes = extensionPoint<DeclaredTypes>('bus.DeclaredTypes', { key: (declared) => declared.name });

/** Keeps old events from being pruned while its own data still needs them. */
export interface EventKeeper {
  name: string;
  /** Which of the events (at most 128) it still needs. */
  keeps(scope: ProjectScope, event_ids: readonly string[]): Promise<readonly string[]>;
}

export const EventKeepers = extensionPoint<EventKeeper>('bus.EventKeepers', { key: (keeper) => keeper.name });

export interface EmitResult {
  event_id: string;
  type: string;
  /** The deduplication key was known: this is the first event. */
  duplicate: boolean;
}

export interface EventBus {
  /**
   * Records an event together with everything it starts, many in one commit. Throws `event_type_invalid`,
   * `event_type_reserved` (only for the source `emit`), `payload_too_large`, `invalid_request`, and for refusable ones
   * `chain_too_deep`, `handlers_in_flight`.
   */
  emit(event: NewEvent): Promise<EmitResult>;
  /**
   * Where another server numbers the project's events: has it record this one before the caller's own transaction, and
   * answers what became of it. Undefined elsewhere, and when `fresh` is false: it is asked in the transaction that hands
   * the event over. The event needs a `dedup` text, because the caller may end before it has noted the outcome.
   */
  ahead(
    event: NewEvent & { dedup: string },
    fresh: (tx: Transaction) => Promise<boolean>,
  ): Promise<BatchOutcome<EmitResult> | undefined>;
  /**
   * The same in the caller's transaction. The projects' locks come after its run and activity locks. The caller must
   * call `Sealer.prepare` for every org before its transaction. Throws when a refusable event is refused.
   */
  record(tx: Transaction, events: readonly NewEvent[]): Promise<EmitResult[]>;
  /** Holds the project's lock until the transaction ends. Taking it again is allowed. */
  lock(tx: Transaction, scope: ProjectScope): Promise<void>;
  /** A recorded event; undefined when the project has none with that id. `on`: the transaction to read in. */
  read(
    scope: ProjectScope,
    event_id: string,
    on?: Pick<Queries, 'read'>,
    /** Only an event of this source: the body of another one, which may be large, is not read. */
    source?: EventSource,
  ): Promise<StoredEvent | undefined>;
  /** Queued deliveries have changed: their handler runs were started, or never will be. */
  settleDeliveries(tx: Transaction, scope: ProjectScope, deliveries: readonly Delivery[]): Promise<void>;
  /** Records what came of a replay, in the transaction in which it came; the project's lock is held. */
  noteReplay(tx: Transaction, scope: ProjectScope, replay: Replay): Promise<void>;
  findReplay(
    on: Pick<Queries, 'read'>,
    scope: ProjectScope,
    replay: Pick<Replay, 'event_id' | 'name' | 'replay_id'>,
  ): Promise<Replay | undefined>;
}

/** Arguments of a `wait-event` wait besides the type, which is its name. Scripts have none; pipelines and graphs do. */
export interface EventWaitArgs {
  /** CEL over `event`, the complete envelope. An event that it declines leaves the wait in place. */
  when?: string;
  /** The signal that also ends it; absent: `event:<type>:<activity>`. */
  signal?: string;
  /** Events that untrusted runs emit end it too. Waits of untrusted runs take them anyway. */
  untrusted?: boolean;
}

export const EventBus = token<EventBus>('bus.EventBus');

/** A recorded event without what it carries. */
export type LoggedEvent = Pick<StoredEvent, 'seq' | 'event_id' | 'type' | 'source' | 'source_name' | 'recorded_at'>;

/**
 * The events of a project as a log of what happened and when: numbers follow the order of commits, and times never decrease
 * along them. What it answers costs no look at events outside of what is asked for.
 */
export interface EventLog {
  /** The number of the last event; 0 without any. */
  last(project_id: string): Promise<number>;
  /**
   * The first number of `low` and more whose event was recorded at that time or later; `high` when there is none below it.
   */
  numberAt(project_id: string, at: number, bounds: { low: number; high: number }): Promise<number>;
  /** How many events of each type have a number of `from` and more, and less than `to`. Types without any are left out. */
  count(project_id: string, types: readonly string[], from: number, to: number): Promise<ReadonlyMap<string, number>>;
  /** The latest events of a type, newest first. */
  latest(scope: ProjectScope, type: string, limit: number): Promise<LoggedEvent[]>;
}

export const EventLog = token<EventLog>('bus.EventLog');
