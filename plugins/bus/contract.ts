import { extensionPoint, type ServiceError, token, type Transaction } from '../../kernel/contracts/index.ts';
import type { Json } from '../runs/contract.ts';

/** Where an event comes from. Trust is decided by this and by what the source knows, never by the type. */
export type EventSource = 'emit' | 'hook' | 'forge' | 'lifecycle' | 'schedule' | 'manual' | 'spawn';

export interface ProjectScope {
  org_id: string;
  project_id: string;
}

/** An event as its source hands it over. */
export interface NewEvent extends ProjectScope {
  /** Absent: one is made. */
  event_id?: string;
  type: string;
  /** The subject; null is a broadcast. */
  key: string | null;
  payload: Json;
  /** What the envelope carries beside `type`, `event`, `key` and `payload`: `ref`, `sha`, `repo`…, `schedule`, `parent`. */
  fields?: { [name: string]: Json };
  source: EventSource;
  /** Name of the hook, webhook or schedule; id of the run that emitted or that the event speaks of; '' for an emit by a person. */
  source_name: string;
  /** Of the event: 0 from outside of handler runs, else that of the run that emitted it. */
  generation: number;
  trusted: boolean;
  /** A second event of the project with this text is the first one again. At most 200 characters. */
  dedup?: string;
  /** There is an emitter that can fail: a ceiling refuses the event. Otherwise handler runs over the ceiling wait in a queue. */
  refusable: boolean;
  /** Handlers do not see it: a handler run's own lifecycle. */
  withheld?: boolean;
}

/** An event that is about to be recorded: it has its id. */
export type PendingEvent = NewEvent & { event_id: string };

/** A recorded event. */
export interface StoredEvent extends PendingEvent {
  /** Per project, in commit order. */
  seq: number;
  recorded_at: number;
}

/** What reactions are given: scripts in their input file, waits as their output. */
export interface Envelope {
  type: string;
  event: string;
  key?: string;
  payload: Json;
  [field: string]: Json | undefined;
}

/** The whole of an event as reactions see it; never cut. */
export function envelopeOf(event: PendingEvent): { type: string; [field: string]: Json } {
  const { type, event_id, key, payload, fields = {} } = event;
  return { ...fields, type, event: event_id, ...(key === null ? {} : { key }), payload };
}

/** Does a subject let an event through? Only an event and a run that both have one are narrowed. */
export const subjectMatches = (run_subject: string | null, key: string | null): boolean =>
  run_subject === null || key === null || run_subject === key;

/** Why the type of an event is none, or undefined. 1 to 64 characters from `[A-Za-z0-9._-]`. */
export const typeFault = (type: string): string | undefined =>
  /^[A-Za-z0-9._-]{1,64}$/.test(type) ? undefined : 'must have 1 to 64 characters from A-Z a-z 0-9 . _ -';

const RESERVED: readonly string[] = ['push', 'manual', 'schedule.tick', 'spawn'];

/** May nobody but the service emit this type? */
export const isReserved = (type: string): boolean => RESERVED.includes(type) || /^(run|svc)\./.test(type);

/** Is there a type that begins with `<name>.` and that nobody but the service may emit? */
export const isReservedPrefix = (name: string): boolean =>
  isReserved(`${name}.x`) || RESERVED.some((type) => type.startsWith(`${name}.`));

/** What an emit may say, as the JSON of its type, key and payload. Exactly this many bytes are taken. */
export const EMIT_BYTES = 2 * 1024 * 1024;

/** Why a key is none, or undefined. 1 to 255 characters, none of them a control character. */
export function keyFault(key: string): string | undefined {
  if (key === '') return 'must not be empty; leave it out to reach everybody';
  // A character has at most two units: a huge text is not taken apart to be counted.
  if (key.length > 510 || [...key].length > 255) return 'must have at most 255 characters';
  if (/\p{Cc}/u.test(key)) return 'must hold no control characters';
  return key.isWellFormed() ? undefined : 'must be valid Unicode';
}

/** Does a payload nest deeper than 100 arrays and objects? Looks no deeper itself. */
export function nestsTooDeep(value: unknown, levels = 100): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nestsTooDeep(member, levels - 1));
}

/** What came of an event for one reaction: shown with the event. */
export interface Delivery {
  event_id: string;
  /** `handler`, `webhook`, `wait`, `cancel`. */
  reaction: string;
  /** Name of the handler or webhook; for waits and cancels the run's id. */
  name: string;
  state: 'delivered' | 'declined' | 'refused' | 'queued';
  /** Why it was declined or refused; for people. */
  reason?: string;
  /** The run that was started, woken or cancelled. */
  run_id?: string;
}

/**
 * Something that events start. Called for the new events of one project under its lock, which every record of an event
 * takes: first `decide` for all, then, for those that nobody refused, `apply`. Both may run again after a deadlock.
 */
export interface EventReaction<Plan = unknown> {
  name: string;
  /** Lower first. Handlers have 100, inline workflows of webhooks 200. */
  precedence: number;
  /** One answer an event, in order. What is refused counts for nothing towards what follows. Only reads. */
  decide(
    tx: Transaction,
    scope: ProjectScope,
    events: readonly PendingEvent[],
  ): Promise<readonly ({ refused: ServiceError } | { plan: Plan | undefined })[]>;
  /** Does what was planned, for the events that were recorded. Answers what is to be shown. */
  apply(
    tx: Transaction,
    scope: ProjectScope,
    planned: readonly { event: StoredEvent; plan: Plan }[],
  ): Promise<readonly Delivery[]>;
}

export const EventReactions = extensionPoint<EventReaction>('bus.EventReactions', { key: (reaction) => reaction.name });

/** Event types that something of a project says it will emit, for the catalog. */
export interface DeclaredTypes {
  name: string;
  types(scope: ProjectScope): Promise<readonly string[]>;
}

export const DeclaredTypes = extensionPoint<DeclaredTypes>('bus.DeclaredTypes', { key: (declared) => declared.name });

/** Keeps events that are old enough to be pruned, because something of its own still has to read them. */
export interface EventKeeper {
  name: string;
  /** Those of the events (at most 128) that it needs. */
  keeps(scope: ProjectScope, event_ids: readonly string[]): Promise<readonly string[]>;
}

export const EventKeepers = extensionPoint<EventKeeper>('bus.EventKeepers', { key: (keeper) => keeper.name });

export interface EmitResult {
  event_id: string;
  type: string;
  /** The dedup text was known: this is the first event. */
  duplicate: boolean;
}

export interface EventBus {
  /**
   * Records an event with everything it starts, many in one commit. Throws `event_type_invalid`, `event_type_reserved` (source
   * `emit` only), `payload_too_large`, `invalid_request`, and for refusable ones `chain_too_deep`, `handlers_in_flight`.
   */
  emit(event: NewEvent): Promise<EmitResult>;
  /**
   * The same in the caller's transaction, after whose run and activity locks the projects' locks come. The caller has had
   * `Sealer.prepare` of every org done before its transaction began. Throws when a refusable event is refused.
   */
  record(tx: Transaction, events: readonly NewEvent[]): Promise<EmitResult[]>;
  /** Takes the project's lock until the transaction ends. May be taken again. */
  lock(tx: Transaction, scope: ProjectScope): Promise<void>;
  /** A recorded event; undefined when the project has none of that id. */
  read(scope: ProjectScope, event_id: string): Promise<StoredEvent | undefined>;
  /** Queued deliveries have become others: their handler runs started, or never will. */
  settleDeliveries(tx: Transaction, scope: ProjectScope, deliveries: readonly Delivery[]): Promise<void>;
}

/**
 * What a wait of the kind `wait-event` may say beside the type, which is its name. Scripts say nothing; pipelines and
 * graphs do.
 */
export interface EventWaitArgs {
  /** CEL over `event`, the whole envelope. After one that it declines the wait goes on. */
  when?: string;
  /** The signal that ends it too; absent: `event:<type>:<activity>`. */
  signal?: string;
}

export const EventBus = token<EventBus>('bus.EventBus');
