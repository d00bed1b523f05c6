import type { Page, Param, Queries } from '../../../kernel/contracts/index.ts';

export interface ScheduleScope {
  org_id: string;
  project_id: string;
}

/** A schedule as its list shows it. Times are epoch milliseconds. */
export interface ScheduleEntry {
  name: string;
  schedule_id: string;
  cron: string;
  timezone: string;
  subject: string | null;
  paused: number;
  /** JSON: kind and file name of the workflow; null without one. */
  about: string | null;
  next_due: number | null;
  created_at: number;
  set_at: number;
  last_due: number | null;
  ticked_at: number | null;
  last_event: string | null;
  last_run: string | null;
  missed_count: number | null;
  last_error: string | null;
}

export type ScheduleRow = ScheduleEntry & { revision: string; workflow: Buffer | null };

export interface NewSchedule extends ScheduleScope {
  name: string;
  org: string;
  project: string;
  schedule_id: string;
  revision: string;
  cron: string;
  timezone: string;
  subject: string | null;
  paused: number;
  workflow: Buffer | null;
  about: string | null;
  /** JSON: variable → name; null without any. */
  credentials: string | null;
  next_due: number | null;
  set_at: number;
  set_by: string | null;
}

const SHOWN = `name, schedule_id, cron, timezone, subject, paused, about, next_due, created_at, set_at, last_due, ticked_at,
  last_event, last_run, missed_count, last_error`;
const REPLACED = [
  'revision',
  'cron',
  'timezone',
  'subject',
  'paused',
  'workflow',
  'about',
  'credentials',
  'next_due',
  'set_at',
  'set_by',
] as const;

/** True when it is new. What is known of its last tick stays. */
export async function writeSchedule(on: Queries, schedule: NewSchedule): Promise<boolean> {
  const { org_id, project_id, name } = schedule;
  const values = REPLACED.map((column): Param => schedule[column]);
  const made = await on.write(
    `${on.sql.insert_ignore} schedules_schedules
       (project_id, name, org_id, org, project, schedule_id, created_at, ${REPLACED.join(', ')})
     VALUES (?, ?, ?, ?, ?, ?, ?, ${REPLACED.map(() => '?').join(', ')})`,
    [project_id, name, org_id, schedule.org, schedule.project, schedule.schedule_id, schedule.set_at, ...values],
  );
  if (made === 1) return true;
  await on.write(
    `UPDATE schedules_schedules SET ${REPLACED.map((column) => `${column} = ?`).join(', ')}
     WHERE project_id = ? AND org_id = ? AND name = ?`,
    [...values, project_id, org_id, name],
  );
  return false;
}

/** False when there was none. */
export async function removeSchedule(on: Queries, scope: ScheduleScope, name: string): Promise<boolean> {
  const removed = await on.write('DELETE FROM schedules_schedules WHERE project_id = ? AND org_id = ? AND name = ?', [
    scope.project_id,
    scope.org_id,
    name,
  ]);
  return removed === 1;
}

export async function readSchedule(
  on: Pick<Queries, 'read'>,
  scope: ScheduleScope,
  name: string,
): Promise<ScheduleRow | undefined> {
  const [row] = await on.read<ScheduleRow>(
    `SELECT ${SHOWN}, revision, workflow FROM schedules_schedules WHERE project_id = ? AND org_id = ? AND name = ?`,
    [scope.project_id, scope.org_id, name],
  );
  return row;
}

/** One more than the limit, newest first; without the workflows. */
export function listSchedules(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ScheduleScope,
  page: Page,
): Promise<ScheduleEntry[]> {
  return on.read<ScheduleEntry>(
    `SELECT ${SHOWN} FROM schedules_schedules WHERE project_id = ? AND org_id = ?
     ${page.before === undefined ? '' : 'AND schedule_id < ?'}
     ORDER BY schedule_id DESC LIMIT ${Math.trunc(page.limit) + 1}`,
    [project_id, org_id, ...(page.before === undefined ? [] : [page.before])],
  );
}

export async function countSchedules(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ScheduleScope,
): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    'SELECT COUNT(*) AS n FROM schedules_schedules WHERE project_id = ? AND org_id = ?',
    [project_id, org_id],
  );
  return row!.n;
}

/** Names and credentials of the schedules that name any, newest first. */
export function namingCredentials(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ScheduleScope,
): Promise<{ name: string; credentials: string }[]> {
  return on.read(
    `SELECT name, credentials FROM schedules_schedules
     WHERE project_id = ? AND org_id = ? AND credentials IS NOT NULL ORDER BY schedule_id DESC`,
    [project_id, org_id],
  );
}
