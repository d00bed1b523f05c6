import { chunks, inList, type Queries } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';
import type { Overlap } from '../domain/starts.ts';

/** Due times of a schedule that may wait because of `overlap: queue`. */
export const MAX_QUEUED = 100;
/** Due times that one backfill may add. */
export const MAX_BACKFILL = 1000;
/** Due times that may wait in a project. */
export const MAX_WAITING = 10_000;
/** Skipped due times that are shown for a schedule. */
const MAX_SKIPS = 20;

export interface ScheduleKey extends ProjectScope {
  name: string;
}

/** A due time that has not started yet. */
export interface WaitingTick {
  due: number;
  backfill: number | null;
  /** Null: that of the schedule. */
  overlap: Overlap | null;
  /** Its event, unless it is recorded only at the start. */
  event_id: string | null;
  expires_at: number | null;
  written_at: number;
}

export interface SkippedTick {
  due: number;
  written_at: number;
  reason: string;
}

type Reads = Pick<Queries, 'read'>;

const NAMED = 'project_id = ? AND name = ?';

/** Adds a due time, or replaces its skip. One that waits already gets the event. */
export async function addWaiting(
  on: Queries,
  { org_id, project_id, name }: ScheduleKey,
  { due, event_id, expires_at, written_at }: Omit<WaitingTick, 'backfill' | 'overlap'>,
): Promise<void> {
  await on.write(
    `INSERT INTO schedules_ticks (project_id, name, due, org_id, state, event_id, expires_at, written_at)
     VALUES (?, ?, ?, ?, 'waiting', ?, ?, ?)
     ${on.sql.upsert(['project_id', 'name', 'due'], ['state', 'event_id', 'expires_at', 'written_at'])}`,
    [project_id, name, due, org_id, event_id, expires_at, written_at],
  );
}

/** Adds due times of a backfill that do not wait already, and returns how many. */
export async function addBackfill(
  on: Queries,
  { org_id, project_id, name }: ScheduleKey,
  dues: readonly number[],
  { overlap, written_at }: { overlap: Overlap; written_at: number },
): Promise<number> {
  let added = 0;
  for (const chunk of chunks(dues)) {
    await on.write(
      `DELETE FROM schedules_ticks WHERE ${NAMED} AND state = 'skipped' AND due IN (${chunk.map(() => '?').join(', ')})`,
      [project_id, name, ...chunk],
    );
    const rows = chunk.map(() => `(?, ?, ?, ?, 'waiting', 1, ?, ?)`).join(', ');
    added += await on.write(
      `${on.sql.insert_ignore} schedules_ticks (project_id, name, due, org_id, state, backfill, overlap, written_at)
       VALUES ${rows}`,
      chunk.flatMap((due) => [project_id, name, due, org_id, overlap, written_at]),
    );
  }
  return added;
}

/** Stores why a due time was not started, unless a backfill of it waits, and forgets the oldest of those shown. */
export async function addSkip(
  on: Queries,
  { org_id, project_id, name }: ScheduleKey,
  { due, written_at, reason }: SkippedTick,
): Promise<void> {
  await on.write(
    `${on.sql.insert_ignore} schedules_ticks (project_id, name, due, org_id, state, written_at, reason)
     VALUES (?, ?, ?, ?, 'skipped', ?, ?)`,
    [project_id, name, due, org_id, written_at, reason],
  );
  const [oldest] = await on.read<{ due: number }>(
    `SELECT due FROM schedules_ticks WHERE ${NAMED} AND state = 'skipped' ORDER BY due DESC LIMIT 1 OFFSET ${MAX_SKIPS}`,
    [project_id, name],
  );
  if (oldest !== undefined)
    await on.write(`DELETE FROM schedules_ticks WHERE ${NAMED} AND state = 'skipped' AND due <= ?`, [
      project_id,
      name,
      oldest.due,
    ]);
}

/** The oldest first. */
export const listWaiting = (on: Reads, { project_id, name }: ScheduleKey, limit: number): Promise<WaitingTick[]> =>
  on.read<WaitingTick>(
    `SELECT due, backfill, overlap, event_id, expires_at, written_at FROM schedules_ticks
     WHERE ${NAMED} AND state = 'waiting' ORDER BY due LIMIT ${Math.trunc(limit)}`,
    [project_id, name],
  );

/** The newest first. */
export const listSkipped = (on: Reads, { project_id, name }: ScheduleKey): Promise<SkippedTick[]> =>
  on.read<SkippedTick>(
    `SELECT due, written_at, reason FROM schedules_ticks
     WHERE ${NAMED} AND state = 'skipped' ORDER BY due DESC LIMIT ${MAX_SKIPS}`,
    [project_id, name],
  );

/** Counts the due times that wait, up to the limit. */
async function countUpTo(on: Reads, where: string, params: readonly string[], limit: number): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM schedules_ticks WHERE state = 'waiting' AND ${where}
     LIMIT ${limit}) counted`,
    params,
  );
  return Number(row!.n);
}

export const countQueued = (on: Reads, { project_id, name }: ScheduleKey): Promise<number> =>
  countUpTo(on, `${NAMED} AND backfill IS NULL`, [project_id, name], MAX_QUEUED);

export const countWaiting = (on: Reads, project_id: string): Promise<number> =>
  countUpTo(on, 'project_id = ?', [project_id], MAX_WAITING);

/** Removes a due time that waits. Returns true for the one transaction that does. */
export const removeWaiting = async (on: Queries, { project_id, name }: ScheduleKey, due: number): Promise<boolean> =>
  (await on.write(`DELETE FROM schedules_ticks WHERE ${NAMED} AND due = ? AND state = 'waiting'`, [
    project_id,
    name,
    due,
  ])) === 1;

/**
 * Schedules with a due time that can start now, or that is too late by now. A queue is ready when no run of its
 * schedule is open.
 */
export const listReady = (on: Reads, now: number, limit: number): Promise<ScheduleKey[]> =>
  on.read<ScheduleKey>(
    `SELECT t.org_id, t.project_id, t.name FROM schedules_ticks t
     JOIN schedules_schedules s ON s.project_id = t.project_id AND s.name = t.name
     WHERE t.state = 'waiting' AND (t.expires_at < ? OR ((t.backfill = 1 OR s.paused = 0) AND (t.overlap = 'allow'
       OR NOT EXISTS (SELECT 1 FROM schedules_open o WHERE o.project_id = t.project_id AND o.name = t.name))))
     GROUP BY t.org_id, t.project_id, t.name LIMIT ${Math.trunc(limit)}`,
    [now],
  );

/** Removes everything that waits or was skipped, and forgets open runs, of a schedule that is removed. */
export async function dropTicks(on: Queries, { project_id, name }: Omit<ScheduleKey, 'org_id'>): Promise<void> {
  await on.write(`DELETE FROM schedules_ticks WHERE ${NAMED}`, [project_id, name]);
  await on.write(`DELETE FROM schedules_open WHERE ${NAMED}`, [project_id, name]);
}

/** A run of a schedule that has not ended. */
export interface OpenRun {
  run_id: string;
  due: number;
}

/** Runs that the schedule's next due times look at, the oldest first. */
export const listOpen = (on: Reads, { project_id, name }: ScheduleKey, limit: number): Promise<OpenRun[]> =>
  on.read<OpenRun>(`SELECT run_id, due FROM schedules_open WHERE ${NAMED} ORDER BY due LIMIT ${Math.trunc(limit)}`, [
    project_id,
    name,
  ]);

export async function addOpen(on: Queries, key: ScheduleKey, { run_id, due }: OpenRun): Promise<void> {
  await on.write('INSERT INTO schedules_open (run_id, project_id, name, org_id, due) VALUES (?, ?, ?, ?, ?)', [
    run_id,
    key.project_id,
    key.name,
    key.org_id,
    due,
  ]);
}

/** Returns how many of them were open. */
export async function dropOpen(on: Queries, run_ids: readonly string[]): Promise<number> {
  let dropped = 0;
  for (const chunk of chunks(run_ids)) {
    const { placeholders, params } = inList(chunk);
    dropped += await on.write(`DELETE FROM schedules_open WHERE run_id IN ${placeholders}`, params);
  }
  return dropped;
}
