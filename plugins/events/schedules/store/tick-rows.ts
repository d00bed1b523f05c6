import type { Queries, Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';
import type { Start } from '../domain/starts.ts';
import type { StartOptions } from './schedules.ts';

/** A schedule that is due. */
export interface DueSchedule extends ProjectScope, StartOptions {
  schedule_id: string;
  name: string;
  org: string;
  project: string;
  revision: string;
  cron: string;
  timezone: string;
  subject: string | null;
  /** The kind and file name of the workflow as JSON, or null without one. */
  about: string | null;
  /** When it starts. */
  next_due: number;
  /** The due time; null if it is the start. */
  due_at: number | null;
  set_by: string | null;
}

export type DuePosition = Pick<DueSchedule, 'next_due' | 'project_id' | 'name'>;

const AFTER = `(next_due > ? OR (next_due = ? AND (project_id > ? OR (project_id = ? AND name > ?))))`;

/** Returns due schedules in the order of their times, starting after `after`, without locking them. */
export function listDue(
  on: Pick<Queries, 'read'>,
  now: number,
  after: DuePosition | undefined,
  limit: number,
): Promise<DueSchedule[]> {
  const after_params = after ? [after.next_due, after.next_due, after.project_id, after.project_id, after.name] : [];
  return on.read<DueSchedule>(
    `SELECT project_id, name, org_id, org, project, revision, cron, timezone, subject, about, next_due, set_by,
       schedule_id, due_at, overlap, jitter_ms, catch_up_ms, deadline_ms
     FROM schedules_schedules WHERE next_due <= ? ${after ? `AND ${AFTER}` : ''}
     ORDER BY next_due, project_id, name LIMIT ${Math.trunc(limit)}`,
    [now, ...after_params],
  );
}

/** Returns the sealed workflow of a due schedule, or undefined if it was replaced or removed. */
export async function readDueWorkflow(on: Pick<Queries, 'read'>, due: DueSchedule): Promise<Buffer | undefined> {
  const [row] = await on.read<{ workflow: Buffer | null }>(
    'SELECT workflow FROM schedules_schedules WHERE project_id = ? AND name = ? AND revision = ?',
    [due.project_id, due.name, due.revision],
  );
  return row?.workflow ?? undefined;
}

/** Returns the first due time after `now`, or null if there is none. */
export async function readNextDue(on: Pick<Queries, 'read'>, now: number): Promise<number | null> {
  const [row] = await on.read<{ next_due: number | null }>(
    'SELECT MIN(next_due) AS next_due FROM schedules_schedules WHERE next_due > ?',
    [now],
  );
  return row?.next_due ?? null;
}

/** The columns that record a tick with its schedule. */
export interface TickRecord {
  due: number;
  next: Start | undefined;
  ticked_at: number;
  event: string;
  run: string | undefined;
  missed_count: number | undefined;
  error: string | undefined;
}

/** Advances the schedule from the revision and due time that were read; returns true for the one server that does. */
export async function advanceSchedule(on: Queries, due: DueSchedule, tick: TickRecord): Promise<boolean> {
  const updated = await on.write(
    `UPDATE schedules_schedules
     SET next_due = ?, due_at = ?, last_due = ?, ticked_at = ?, last_event = ?, last_run = ?, missed_count = ?, last_error = ?,
       last_by = NULL
     WHERE project_id = ? AND name = ? AND revision = ? AND next_due = ?`,
    [
      ...startColumns(tick.next),
      tick.due,
      tick.ticked_at,
      tick.event,
      tick.run ?? null,
      tick.missed_count ?? null,
      tick.error ?? null,
      due.project_id,
      due.name,
      due.revision,
      due.next_due,
    ],
  );
  return updated === 1;
}

const startColumns = (next: Start | undefined): [number | null, number | null] =>
  next === undefined ? [null, null] : [next.starts_at, next.starts_at === next.due ? null : next.due];

/** Advances the schedule like `advanceSchedule`, past a due time at which nothing starts. */
export async function skipDue(on: Queries, due: DueSchedule, next: Start | undefined): Promise<boolean> {
  const updated = await on.write(
    `UPDATE schedules_schedules SET next_due = ?, due_at = ?
     WHERE project_id = ? AND name = ? AND revision = ? AND next_due = ?`,
    [...startColumns(next), due.project_id, due.name, due.revision, due.next_due],
  );
  return updated === 1;
}

/** Locks a due schedule until the transaction ends; false if another server has advanced it, or somebody replaced it. */
export async function lockDue(tx: Transaction, due: DueSchedule): Promise<boolean> {
  const rows = await tx.lock({
    table: 'schedules_schedules',
    key: ['project_id', 'name'],
    columns: 'project_id, name',
    where: 'project_id = ? AND name = ? AND revision = ? AND next_due = ?',
    params: [due.project_id, due.name, due.revision, due.next_due],
  });
  return rows.length === 1;
}

/** Shows the run that a waiting due time has started, as long as its event is the last one. */
export async function showStartedRun(
  on: Queries,
  { project_id, name }: Pick<DueSchedule, 'project_id' | 'name'>,
  event: string,
  { run, error }: Partial<Pick<TickRecord, 'run' | 'error'>>,
): Promise<void> {
  await on.write(
    `UPDATE schedules_schedules SET last_run = ?, last_error = ? WHERE project_id = ? AND name = ? AND last_event = ?`,
    [run ?? null, error ?? null, project_id, name, event],
  );
}

/** Records a manual tick, which does not advance the schedule. The caller has locked the schedule. */
export async function recordTriggered(
  on: Queries,
  { project_id, name }: Pick<DueSchedule, 'project_id' | 'name'>,
  tick: Pick<TickRecord, 'due' | 'event' | 'run' | 'error'> & { triggered_by: string },
): Promise<void> {
  await on.write(
    `UPDATE schedules_schedules
     SET last_due = ?, ticked_at = ?, last_event = ?, last_run = ?, missed_count = NULL, last_error = ?, last_by = ?
     WHERE project_id = ? AND name = ?`,
    [tick.due, tick.due, tick.event, tick.run ?? null, tick.error ?? null, tick.triggered_by, project_id, name],
  );
}

/** Shows the event that was recorded earlier for this due time, and no run. */
export async function showRecordedEvent(on: Queries, { project_id, name }: DueSchedule, event: string): Promise<void> {
  await on.write('UPDATE schedules_schedules SET last_event = ?, last_run = NULL WHERE project_id = ? AND name = ?', [
    event,
    project_id,
    name,
  ]);
}
