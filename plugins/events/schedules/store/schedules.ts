import type { Queries } from '../../../../kernel/contracts/index.ts';
import { type NamedRow, NamedTable, type ProjectScope } from '../../../platform/resources/contract.ts';
import { SCHEDULE } from '../domain/names.ts';
import { ScheduleErrors } from '../errors.ts';
import type { Overlap } from '../domain/starts.ts';
import { FILE_SET_MEMBER } from '../../workflows/contract.ts';

/** Enough for a project, and few enough to be recorded within seconds when all are due at once. */
export const MAX_SCHEDULES = 1000;

/** The result of the last tick. Times are epoch milliseconds. */
interface LastTick {
  last_due: number | null;
  ticked_at: number | null;
  last_event: string | null;
  last_run: string | null;
  missed_count: number | null;
  last_error: string | null;
  /** The name of the user who triggered it manually, or null for a regular tick. */
  last_by: string | null;
}

/** Since when the schedule is paused and who paused it; null if it is not. */
interface Pause {
  paused_at: number | null;
  paused_by: string | null;
}

/** How due times become runs; null: as without the option. */
export interface StartOptions {
  overlap: Overlap | null;
  jitter_ms: number | null;
  catch_up_ms: number | null;
  deadline_ms: number | null;
}

export interface ScheduleRow extends NamedRow, LastTick, Pause, StartOptions {
  org: string;
  project: string;
  schedule_id: string;
  revision: string;
  cron: string;
  timezone: string;
  subject: string | null;
  paused: number;
  /** The workflow as sealed JSON. */
  workflow: Buffer | null;
  /** The kind and file name of the workflow as JSON, or null without one. */
  about: string | null;
  /** A JSON object from variables to names of credentials, or null without any. */
  credentials: string | null;
  /** When it starts next. */
  next_due: number | null;
  /** The due time of that start; null if they are the same. */
  due_at: number | null;
  created_at: number;
  set_at: number;
  set_by: string | null;
  /** The resource of another plugin that owns it, or null if a person created it. */
  owner: string | null;
}

export type ScheduleEntry = LastTick &
  Pause &
  StartOptions &
  Pick<
    ScheduleRow,
    | 'name'
    | 'schedule_id'
    | 'cron'
    | 'timezone'
    | 'subject'
    | 'paused'
    | 'about'
    | 'next_due'
    | 'due_at'
    | 'owner'
    | 'created_at'
    | 'set_at'
  >;

const LAST_TICK = ['last_due', 'ticked_at', 'last_event', 'last_run', 'missed_count', 'last_error', 'last_by'] as const;

const START_OPTIONS = ['overlap', 'jitter_ms', 'catch_up_ms', 'deadline_ms'] as const;

/** Replacing a schedule keeps the columns of its last tick. */
export const schedules = new NamedTable<ScheduleRow, ScheduleEntry, keyof LastTick>({
  ...SCHEDULE,
  table: 'schedules_schedules',
  id: 'schedule_id',
  preserved: ['org', 'project', 'owner', 'created_at'],
  replaced: [
    'revision',
    'cron',
    'timezone',
    'subject',
    'paused',
    'paused_at',
    'paused_by',
    'workflow',
    'about',
    'credentials',
    'next_due',
    'due_at',
    ...START_OPTIONS,
    'set_at',
    'set_by',
  ],
  other: LAST_TICK,
  listed: [
    'name',
    'schedule_id',
    'cron',
    'timezone',
    'subject',
    'paused',
    'paused_at',
    'paused_by',
    'about',
    'next_due',
    'due_at',
    ...START_OPTIONS,
    'owner',
    'created_at',
    'set_at',
    ...LAST_TICK,
  ],
  max: { count: MAX_SCHEDULES, full: ScheduleErrors.schedulesFull },
});

/** Pauses or resumes a schedule that the caller has locked. */
export async function writePause(
  on: Queries,
  { project_id, name }: NamedRow,
  { paused_at, paused_by, next_due, due_at }: Pause & Pick<ScheduleRow, 'next_due' | 'due_at'>,
): Promise<void> {
  await on.write(
    `UPDATE schedules_schedules SET paused = ?, paused_at = ?, paused_by = ?, next_due = ?, due_at = ?
     WHERE project_id = ? AND name = ?`,
    [paused_at === null ? 0 : 1, paused_at, paused_by, next_due, due_at, project_id, name],
  );
}

/** Lists the schedules of a project that run a workflow, by name. */
export function listWithWorkflow(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  limit: number,
): Promise<Pick<ScheduleRow, 'name' | 'revision'>[]> {
  return on.read(
    `SELECT name, revision FROM schedules_schedules WHERE project_id = ? AND org_id = ? AND workflow IS NOT NULL
     ORDER BY name LIMIT ${Math.trunc(limit)}`,
    [project_id, org_id],
  );
}

/** Returns the sealed workflows of these schedules; those without one are left out. */
export function readWorkflows(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  names: readonly string[],
): Promise<{ name: string; revision: string; workflow: Buffer }[]> {
  return on.read(
    `SELECT name, revision, workflow FROM schedules_schedules
     WHERE project_id = ? AND org_id = ? AND workflow IS NOT NULL AND name IN (${names.map(() => '?').join(', ')})`,
    [project_id, org_id, ...names],
  );
}

/** Returns the names and credentials of schedules that use any, newest first. */
export function listUsingCredentials(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
): Promise<{ name: string; credentials: string }[]> {
  return on.read(
    `SELECT name, credentials FROM schedules_schedules
     WHERE project_id = ? AND org_id = ? AND credentials IS NOT NULL ORDER BY schedule_id DESC`,
    [project_id, org_id],
  );
}

/** Returns the schedules of a project whose workflow includes files: all, or the one with a name. */
export const listUsingFiles = (
  on: Pick<Queries, 'read'>,
  project_id: string,
  only?: string,
): Promise<{ about: string }[]> =>
  on.read(
    `SELECT about FROM schedules_schedules WHERE project_id = ? ${only === undefined ? '' : 'AND name = ?'} AND INSTR(about, ?) > 0`,
    [project_id, ...(only === undefined ? [] : [only]), FILE_SET_MEMBER],
  );
