import {
  chunks,
  inKeys,
  inList,
  insertRows,
  inState,
  type Param,
  type Queries,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { WaitRef } from '../../runs/contract.ts';
import type { ProjectScope, StoredEvent } from '../contract.ts';
import { digests } from '../domain/event-rules.ts';
import { isOfUntrustedRun } from '../domain/untrusted.ts';

/**
 * armed → fired (by an event) → delivered, or missed: it had ended otherwise. A wait that ends while armed is removed.
 */
export type FiredState = 'armed' | 'fired' | 'delivered' | 'missed';

export interface WaitRow extends WaitRef, ProjectScope {
  type: string;
  subject: string | null;
  state: FiredState;
  armed_seq: number;
  event_id: string | null;
  takes_untrusted: number | null;
}

const COLUMNS = `run_id activity_id position org_id project_id type subject subject_digest predicate predicate_digest
  state armed_seq armed_at skips takes_untrusted`.split(/\s+/);
const READ =
  'run_id, activity_id, position, org_id, project_id, type, subject, state, armed_seq, event_id, takes_untrusted';
const KEY = ['run_id', 'activity_id', 'position'] as const;

export interface NewWait extends WaitRef, ProjectScope {
  type: string;
  subject: string | null;
  predicate: string | null;
  /** The project's last event: the wait sees only later ones. */
  armed_seq: number;
  /** Events without a number that it must not see either. */
  skips: string | null;
  armed_at: number;
  /** Events that untrusted runs emit end it too. */
  takes_untrusted: boolean;
}

export async function insertWait(tx: Transaction, wait: NewWait): Promise<void> {
  const row: Param[] = [
    wait.run_id,
    wait.activity_id,
    wait.position,
    wait.org_id,
    wait.project_id,
    wait.type,
    wait.subject,
    wait.subject === null ? null : digests.key(wait.subject),
    wait.predicate,
    wait.predicate === null ? null : digests.predicate(wait.predicate),
    'armed',
    wait.armed_seq,
    wait.armed_at,
    wait.skips,
    wait.takes_untrusted ? 1 : null,
  ];
  await insertRows(tx, 'INSERT INTO bus_waits', COLUMNS, [row]);
}

/** Which of the types have an armed wait, and which an armed cancel, in the project. */
export async function awaitedTypes(
  tx: Transaction,
  project_id: string,
  types: readonly string[],
): Promise<{ waits: Set<string>; cancels: Set<string> }> {
  const found = { waits: new Set<string>(), cancels: new Set<string>() };
  for (const some of chunks(types)) {
    const list = inList(some);
    const armed = `project_id = ? AND event_seq IS NULL AND type IN ${list.marks}`;
    const params = [project_id, ...list.params];
    // Distinct before marking: that follows the index, where thousands wait for one type.
    const rows = await tx.read<{ listening: 'waits' | 'cancels'; type: string }>(
      `SELECT 'waits' AS listening, type FROM (SELECT DISTINCT type FROM bus_waits WHERE ${armed}) waits UNION ALL
       SELECT 'cancels' AS listening, type FROM (SELECT DISTINCT type FROM bus_cancels WHERE ${armed}) cancels`,
      [...params, ...params],
    );
    for (const { listening, type } of rows) found[listening].add(type);
  }
  return found;
}

interface Reached {
  condition: string;
  params: Param[];
}

/**
 * The armed rows that an event reaches: those of its type; for an event with a key, only rows with the same subject or
 * none; for one that an untrusted run emitted, only rows that take such events.
 */
export function reached(event: StoredEvent): Reached {
  const { condition, params } = addressed(event);
  return { condition: isOfUntrustedRun(event) ? `${condition} AND takes_untrusted = 1` : condition, params };
}

/** The armed rows that such an event would reach if a trusted run had emitted it. */
export function guarded(event: StoredEvent): Reached {
  const { condition, params } = addressed(event);
  return { condition: `${condition} AND takes_untrusted IS NULL`, params };
}

function addressed(event: StoredEvent): Reached {
  // Only events that were handed over can have been on their way when something was armed.
  const condition = `project_id = ? AND type = ? AND event_seq IS NULL
    ${event.handed_over ? "AND INSTR(COALESCE(skips, ''), ?) = 0" : ''}`;
  const params = [event.project_id, event.type, ...(event.handed_over ? [event.event_id] : [])];
  if (event.key === null) return { condition, params };
  return {
    condition: `${condition} AND (subject_digest IS NULL OR subject_digest = ?)`,
    params: [...params, digests.key(event.key)],
  };
}

/**
 * The start of a statement that fires rows. It forces the index even for a small table: an optimizer that walks all
 * rows waits for rows that other projects have locked.
 */
export const fire = (tx: Transaction, table: 'bus_waits' | 'bus_cancels'): string =>
  `UPDATE ${table} ${tx.sql.family === 'mysql' ? `FORCE INDEX (${table}_heard)` : ''}
   SET state = 'fired', event_id = ?, event_seq = ?, fired_at = ?`;
export const firing = (event: StoredEvent): Param[] => [event.event_id, event.seq, event.recorded_at];

/** armed → fired for waits without a predicate. Answers how many. The head must be locked. */
export function fireWaits(tx: Transaction, event: StoredEvent): Promise<number> {
  const { condition, params } = reached(event);
  return tx.write(`${fire(tx, 'bus_waits')} WHERE ${condition} AND predicate_digest IS NULL`, [
    ...firing(event),
    ...params,
  ]);
}

export interface Predicate {
  digest: string;
  source: string;
  /** Armed waits with this predicate. */
  count: number;
}

/** The distinct predicates of the waits that an event reaches. */
export async function predicatesFor(tx: Transaction, event: StoredEvent): Promise<Predicate[]> {
  const { condition, params } = reached(event);
  const rows = await tx.read<{ digest: string; source: string; count: number }>(
    `SELECT predicate_digest AS digest, MIN(predicate) AS source, COUNT(*) AS count FROM bus_waits
     WHERE ${condition} AND predicate_digest IS NOT NULL GROUP BY predicate_digest ORDER BY predicate_digest`,
    params,
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

export function firePredicate(tx: Transaction, event: StoredEvent, predicate_digest: string): Promise<number> {
  const { condition, params } = reached(event);
  return tx.write(`${fire(tx, 'bus_waits')} WHERE ${condition} AND predicate_digest = ?`, [
    ...firing(event),
    ...params,
    predicate_digest,
  ]);
}

/** Locks a wait's row. */
export async function lockWait(tx: Transaction, wait: WaitRef): Promise<WaitRow | undefined> {
  const [row] = await tx.lock<WaitRow>({
    table: 'bus_waits',
    key: KEY,
    columns: READ,
    where: 'run_id = ? AND activity_id = ? AND position = ?',
    params: [wait.run_id, wait.activity_id, wait.position],
  });
  return row;
}

/** Fired waits without delivery, by run, after `after`; `backwards` begins at the last one. */
export function firedWaits(
  on: Pick<Queries, 'read'>,
  after: WaitRef | undefined,
  limit: number,
  backwards = false,
): Promise<(WaitRow & { event_id: string })[]> {
  const [order, past] = backwards ? ['DESC', '<'] : ['ASC', '>'];
  const beyond = `AND run_id ${past}= ? AND (run_id ${past} ? OR activity_id ${past} ? OR
    (activity_id = ? AND position ${past} ?))`;
  return on.read(
    `SELECT ${READ} FROM bus_waits WHERE state = 'fired' ${after ? beyond : ''}
     ORDER BY run_id ${order}, activity_id ${order}, position ${order} LIMIT ${Math.trunc(limit)}`,
    after ? [after.run_id, after.run_id, after.activity_id, after.activity_id, after.position] : [],
  );
}

/** fired → delivered or missed, for rows that are still fired. */
export async function settleWaits(
  tx: Transaction,
  waits: readonly WaitRef[],
  state: 'delivered' | 'missed',
): Promise<void> {
  for (const some of chunks(waits)) {
    const { condition, params } = inKeys(KEY, some);
    await tx.write(`UPDATE bus_waits SET state = '${state}' WHERE ${inState('fired')} AND ${condition}`, params);
  }
}

/** Removes waits that no event has fired. */
export async function removeArmed(tx: Transaction, waits: readonly WaitRef[]): Promise<void> {
  for (const some of chunks(waits)) {
    const { condition, params } = inKeys(KEY, some);
    await tx.write(`DELETE FROM bus_waits WHERE ${inState('armed')} AND ${condition}`, params);
  }
}
