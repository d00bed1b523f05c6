import {
  chunks,
  inKeys,
  inList,
  insertRows,
  inState,
  type Param,
  type Queries,
  type SealContext,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { WaitRef } from '../../../engine/runs/contract.ts';
import { parseExact } from '../../../platform/schema/contract.ts';
import type { ProjectScope, StoredEvent, WaitValues } from '../contract.ts';
import { digests } from '../domain/event-rules.ts';
import { isFromUntrustedRun } from '../domain/untrusted.ts';
import { NOT_SKIPPED } from './outbox.ts';

/**
 * A wait goes from armed to fired (by an event) to delivered, or to missed if it ended otherwise. A wait that ends
 * while armed is removed.
 */
export type WaitState = 'armed' | 'fired' | 'delivered' | 'missed';

export interface WaitRow extends WaitRef, ProjectScope {
  type: string;
  subject: string | null;
  state: WaitState;
  armed_seq: number;
  event_id: string | null;
  takes_untrusted: number | null;
}

const COLUMNS = `run_id activity_id position org_id project_id type subject subject_digest predicate predicate_digest
  state armed_seq armed_at skips takes_untrusted sealed_predicate equality equality_members`.split(/\s+/);
const READ_COLUMNS =
  'run_id, activity_id, position, org_id, project_id, type, subject, state, armed_seq, event_id, takes_untrusted';
const KEY = ['run_id', 'activity_id', 'position'] as const;

/** A predicate that only its wait has, with the values that it reads besides the event. */
export interface SealedPredicate {
  when: string;
  values: WaitValues;
}

/** What the predicate of a wait demands of the members of an event, in a form by which the wait is found. */
export interface StoredEquality {
  digest: string;
  /** The members, sealed. */
  members: Buffer;
}

export interface NewWait extends WaitRef, ProjectScope {
  type: string;
  subject: string | null;
  /** A predicate with values is sealed. */
  predicate: string | SealedPredicate | null;
  /** Null if the predicate has to be evaluated for every event of the type. */
  equality: StoredEquality | null;
  /** The project's last event; the wait sees only later ones. */
  armed_seq: number;
  /** Ids of events without a number yet that it must not see either. */
  skips: string | null;
  armed_at: number;
  /** Whether events from untrusted runs end it too. */
  takes_untrusted: boolean;
}

/** The org's keys must be ready. */
export async function insertWait(tx: Transaction, sealer: Sealer, wait: NewWait): Promise<void> {
  const { predicate, equality } = wait;
  const sealed = predicate === null || typeof predicate === 'string' ? undefined : predicate;
  const text = sealed ? DECLINED_BY_OLDER : (predicate as string | null);
  const row: Param[] = [
    wait.run_id,
    wait.activity_id,
    wait.position,
    wait.org_id,
    wait.project_id,
    wait.type,
    wait.subject,
    wait.subject === null ? null : digests.key(wait.subject),
    text,
    sealed ? SEALED : text === null ? null : digests.predicate(text),
    'armed',
    wait.armed_seq,
    wait.armed_at,
    wait.skips,
    wait.takes_untrusted ? 1 : null,
    sealed ? sealer.seal(predicateContext(wait), Buffer.from(JSON.stringify(sealed))) : null,
    equality?.digest ?? null,
    equality?.members ?? null,
  ];
  await insertRows(tx, 'INSERT INTO bus_waits', COLUMNS, [row]);
}

/** Stands in `predicate_digest` for a predicate that is sealed, and that no two waits share. */
export const SEALED = 'sealed';
/** What a server that does not know sealed predicates evaluates instead. */
const DECLINED_BY_OLDER = 'false';

/** The place of a sealed value of a wait. */
export const waitContext = ({ org_id, project_id, ...wait }: SealedWait, field: string): SealContext => ({
  org_id,
  project_id,
  table: 'bus_waits',
  kind: 'wait',
  name: waitKey(wait),
  field,
});

const predicateContext = (wait: SealedWait): SealContext => waitContext(wait, 'sealed_predicate');

/** Throws `sealed_value_unreadable`. */
export const openPredicate = (sealer: Sealer, wait: SealedWait, sealed: Buffer): SealedPredicate =>
  parseExact(sealer.open(predicateContext(wait), sealed).toString()) as SealedPredicate;

/** Returns which of the types have an armed wait in the project, and which an armed cancel. */
export async function findAwaitedTypes(
  tx: Transaction,
  project_id: string,
  types: readonly string[],
): Promise<{ waits: Set<string>; cancels: Set<string> }> {
  const known = await tx.cached(`bus.awaited ${project_id}`, AWAITED_TABLES, () => new Map<string, Awaited>());
  const unknown = types.filter((type) => !known.has(type));
  const read = unknown.length === 0 ? NONE_AWAITED : await readAwaited(tx, project_id, unknown);
  const awaited = { waits: new Set<string>(), cancels: new Set<string>() };
  for (const type of types) {
    const reaction = known.get(type) ?? { waits: read.waits.has(type), cancels: read.cancels.has(type) };
    if (reaction.waits) awaited.waits.add(type);
    if (reaction.cancels) awaited.cancels.add(type);
  }
  if (unknown.length === 0) return awaited;
  const added = unknown.map(
    (type) => [type, { waits: awaited.waits.has(type), cancels: awaited.cancels.has(type) }] as const,
  );
  const kept = known.size + added.length > MAX_AWAITED ? [] : [...known];
  tx.setCached(`bus.awaited ${project_id}`, AWAITED_TABLES, new Map([...kept, ...added]));
  return awaited;
}

interface Awaited {
  waits: boolean;
  cancels: boolean;
}

const AWAITED_TABLES = ['bus_waits', 'bus_cancels'];
const MAX_AWAITED = 1000;
const NONE_AWAITED = { waits: new Set<string>(), cancels: new Set<string>() };

async function readAwaited(
  tx: Transaction,
  project_id: string,
  types: readonly string[],
): Promise<{ waits: Set<string>; cancels: Set<string> }> {
  const found = { waits: new Set<string>(), cancels: new Set<string>() };
  for (const some of chunks(types)) {
    const list = inList(some);
    const armed = `project_id = ? AND event_seq IS NULL AND type IN ${list.placeholders}`;
    const params = [project_id, ...list.params];
    // Made distinct before they are labelled, because that follows the index where thousands wait for one type.
    const rows = await tx.read<{ listening: 'waits' | 'cancels'; type: string }>(
      `SELECT 'waits' AS listening, type FROM (SELECT DISTINCT type FROM bus_waits WHERE ${armed}) waits UNION ALL
       SELECT 'cancels' AS listening, type FROM (SELECT DISTINCT type FROM bus_cancels WHERE ${armed}) cancels`,
      [...params, ...params],
    );
    for (const { listening, type } of rows) found[listening].add(type);
  }
  return found;
}

export interface MatchCondition {
  condition: string;
  params: Param[];
}

/**
 * Selects the armed rows that an event matches: those of its type; for an event with a key, only rows with the same
 * subject or none; for an event from an untrusted run, only rows that accept such events.
 */
export function matchCondition(event: StoredEvent): MatchCondition {
  const { condition, params } = addressCondition(event);
  return { condition: isFromUntrustedRun(event) ? `${condition} AND takes_untrusted = 1` : condition, params };
}

/** Selects the armed rows that such an event would match if a trusted run had emitted it. */
export function untrustedOnlyCondition(event: StoredEvent): MatchCondition {
  const { condition, params } = addressCondition(event);
  return { condition: `${condition} AND takes_untrusted IS NULL`, params };
}

function addressCondition(event: StoredEvent): MatchCondition {
  // Only forwarded events can have been in transit when something was armed.
  const condition = `project_id = ? AND type = ? AND event_seq IS NULL
    ${event.forwarded ? `AND ${NOT_SKIPPED}` : ''}`;
  const skipped = event.forwarded ? [event.event_id, event.event_id, event.event_id] : [];
  const params = [event.project_id, event.type, ...skipped];
  if (event.key === null) return { condition, params };
  return {
    condition: `${condition} AND (subject_digest IS NULL OR subject_digest = ?)`,
    params: [...params, digests.key(event.key)],
  };
}

/** The index that every condition on the armed rows of a type is for. */
const ARMED_INDEX = { bus_waits: 'bus_waits_equality', bus_cancels: 'bus_cancels_heard' } as const;

/** It is forced even for a small table, because an optimizer that scans all rows would wait for rows locked by other projects. */
const forceIndex = ({ sql }: Pick<Queries, 'sql'>, table: keyof typeof ARMED_INDEX): string =>
  sql.family === 'mysql' ? `FORCE INDEX (${ARMED_INDEX[table]})` : `INDEXED BY ${ARMED_INDEX[table]}`;

/** The source of a statement that reads armed waits of one type. */
export const fromWaits = (on: Pick<Queries, 'sql'>): string => `FROM bus_waits ${forceIndex(on, 'bus_waits')}`;

/** The beginning of a statement that marks rows as fired. */
export const updateMatched = (tx: Transaction, table: 'bus_waits' | 'bus_cancels'): string =>
  `UPDATE ${table} ${forceIndex(tx, table)} SET state = 'fired', event_id = ?, event_seq = ?, fired_at = ?`;
export const matchParams = (event: StoredEvent): Param[] => [event.event_id, event.seq, event.recorded_at];

/** Waits without a predicate demand nothing of an event, which the index tells as well. */
const NO_PREDICATE = 'equality IS NULL AND predicate_digest IS NULL';

/** Marks waits without a predicate as fired and returns how many. The head must be locked. */
export function matchWaits(tx: Transaction, event: StoredEvent): Promise<number> {
  const { condition, params } = matchCondition(event);
  return tx.write(`${updateMatched(tx, 'bus_waits')} WHERE ${condition} AND ${NO_PREDICATE}`, [
    ...matchParams(event),
    ...params,
  ]);
}

/** A subset of the armed waits of a type. Subsets do not overlap. */
export type WaitSubset = MatchCondition;

/** Selects the waits of a subset that an event matches, apart from their predicates. */
export function matchSubset(event: StoredEvent, subset: WaitSubset): MatchCondition {
  const { condition, params } = matchCondition(event);
  return { condition: `${condition} AND ${subset.condition}`, params: [...params, ...subset.params] };
}

export interface Predicate {
  subset: WaitSubset;
  digest: string;
  source: string;
  /** Number of armed waits of the subset with this predicate. */
  count: number;
}

/**
 * Returns the distinct predicates of the waits of a subset that an event matches. Those that are sealed count as one,
 * `SEALED`.
 */
export async function listPredicates(tx: Transaction, event: StoredEvent, subset: WaitSubset): Promise<Predicate[]> {
  const { condition, params } = matchSubset(event, subset);
  const rows = await tx.read<{ digest: string; source: string; count: number }>(
    `SELECT predicate_digest AS digest, MIN(predicate) AS source, COUNT(*) AS count ${fromWaits(tx)}
     WHERE ${condition} AND predicate_digest IS NOT NULL GROUP BY predicate_digest ORDER BY predicate_digest`,
    params,
  );
  return rows.map((row) => ({ ...row, subset, count: Number(row.count) }));
}

/** An armed wait whose predicate is sealed. */
export type SealedWait = WaitRef & ProjectScope;

/**
 * Returns the next waits of a subset with sealed predicates that an event matches, in the order of their keys. It leaves the
 * predicates out: they are a hundred times as long.
 */
export function listSealed(
  on: Pick<Queries, 'read' | 'sql'>,
  event: StoredEvent,
  subset: WaitSubset,
  after: WaitRef | undefined,
  limit: number,
): Promise<SealedWait[]> {
  const { condition, params } = matchSubset(event, subset);
  const later = `AND run_id >= ? AND (run_id > ? OR activity_id > ? OR (activity_id = ? AND position > ?))`;
  return on.read<SealedWait>(
    `SELECT ${KEY.join(', ')}, org_id, project_id ${fromWaits(on)}
     WHERE ${condition} AND predicate_digest = '${SEALED}' ${after ? later : ''}
     ORDER BY ${KEY.join(', ')} LIMIT ${Math.trunc(limit)}`,
    after ? [...params, after.run_id, after.run_id, after.activity_id, after.activity_id, after.position] : [...params],
  );
}

/** Returns the sealed predicates of waits, by `waitKey`. Those of waits that have gone are left out. */
export async function readSealed(on: Pick<Queries, 'read'>, waits: readonly WaitRef[]): Promise<Map<string, Buffer>> {
  if (waits.length === 0) return new Map();
  const { condition, params } = inKeys(KEY, waits);
  const rows = await on.read<WaitRef & { sealed_predicate: Buffer }>(
    `SELECT ${KEY.join(', ')}, sealed_predicate FROM bus_waits WHERE sealed_predicate IS NOT NULL AND ${condition}`,
    params,
  );
  return new Map(rows.map((row) => [waitKey(row), row.sealed_predicate]));
}

/** Identifies a wait. */
export const waitKey = ({ run_id, activity_id, position }: WaitRef): string => `${run_id}/${activity_id}/${position}`;

/** Marks these waits as fired and returns how many. The head must be locked. */
export async function matchSealed(tx: Transaction, event: StoredEvent, waits: readonly WaitRef[]): Promise<number> {
  let matched_count = 0;
  for (const chunk of chunks(waits)) {
    const { condition, params } = inKeys(KEY, chunk);
    matched_count += await tx.write(
      `UPDATE bus_waits SET state = 'fired', event_id = ?, event_seq = ?, fired_at = ?
       WHERE event_seq IS NULL AND ${condition}`,
      [...matchParams(event), ...params],
    );
  }
  return matched_count;
}

/** Marks the waits of a subset that have this predicate as fired and returns how many. The head must be locked. */
export function matchPredicate(
  tx: Transaction,
  event: StoredEvent,
  { subset, digest }: Pick<Predicate, 'subset' | 'digest'>,
): Promise<number> {
  const { condition, params } = matchSubset(event, subset);
  return tx.write(`${updateMatched(tx, 'bus_waits')} WHERE ${condition} AND predicate_digest = ?`, [
    ...matchParams(event),
    ...params,
    digest,
  ]);
}

export async function lockWait(tx: Transaction, wait: WaitRef): Promise<WaitRow | undefined> {
  const [row] = await tx.lock<WaitRow>({
    table: 'bus_waits',
    key: KEY,
    columns: READ_COLUMNS,
    where: 'run_id = ? AND activity_id = ? AND position = ?',
    params: [wait.run_id, wait.activity_id, wait.position],
  });
  return row;
}

/**
 * Returns fired waits that are not delivered yet, ordered by run, starting after `after`; `backwards` starts at the
 * end.
 */
export function listMatchedWaits(
  on: Pick<Queries, 'read'>,
  after: WaitRef | undefined,
  limit: number,
  backwards = false,
): Promise<(WaitRow & { event_id: string })[]> {
  const [order, comparison] = backwards ? ['DESC', '<'] : ['ASC', '>'];
  const after_condition = `AND run_id ${comparison}= ? AND (run_id ${comparison} ? OR activity_id ${comparison} ? OR
    (activity_id = ? AND position ${comparison} ?))`;
  return on.read(
    `SELECT ${READ_COLUMNS} FROM bus_waits WHERE state = 'fired' ${after ? after_condition : ''}
     ORDER BY run_id ${order}, activity_id ${order}, position ${order} LIMIT ${Math.trunc(limit)}`,
    after ? [after.run_id, after.run_id, after.activity_id, after.activity_id, after.position] : [],
  );
}

/** Marks rows that are still fired as delivered or missed. */
export async function completeWaits(
  tx: Transaction,
  waits: readonly WaitRef[],
  state: 'delivered' | 'missed',
): Promise<void> {
  for (const chunk of chunks(waits)) {
    const { condition, params } = inKeys(KEY, chunk);
    await tx.write(`UPDATE bus_waits SET state = '${state}' WHERE ${inState('fired')} AND ${condition}`, params);
  }
}

/** Removes waits that no event has matched. */
export async function removeArmed(tx: Transaction, waits: readonly WaitRef[]): Promise<void> {
  for (const chunk of chunks(waits)) {
    const { condition, params } = inKeys(KEY, chunk);
    await tx.write(`DELETE FROM bus_waits WHERE ${inState('armed')} AND ${condition}`, params);
  }
}
