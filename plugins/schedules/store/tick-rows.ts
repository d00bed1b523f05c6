import type { Queries } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../resources/contract.ts';

/** A schedule that is due now or next. */
export interface DueSchedule extends ProjectScope {
  name: string;
  org: string;
  project: string;
  revision: string;
  cron: string;
  timezone: string;
  subject: string | null;
  /** JSON: kind and file name of the workflow; null without one. */
  about: string | null;
  next_due: number;
  set_by: string | null;
}

export type DuePlace = Pick<DueSchedule, 'next_due' | 'project_id' | 'name'>;

const AFTER = `(next_due > ? OR (next_due = ? AND (project_id > ? OR (project_id = ? AND name > ?))))`;

/** In order of their times, beginning after `after`; takes no locks. */
export function dueSchedules(
  on: Pick<Queries, 'read'>,
  now: number,
  after: DuePlace | undefined,
  limit: number,
): Promise<DueSchedule[]> {
  const behind = after ? [after.next_due, after.next_due, after.project_id, after.project_id, after.name] : [];
  return on.read<DueSchedule>(
    `SELECT project_id, name, org_id, org, project, revision, cron, timezone, subject, about, next_due, set_by
     FROM schedules_schedules WHERE next_due <= ? ${after ? `AND ${AFTER}` : ''}
     ORDER BY next_due, project_id, name LIMIT ${Math.trunc(limit)}`,
    [now, ...behind],
  );
}

/** The sealed workflow of a due schedule; undefined when it was replaced or removed. */
export async function dueWorkflow(on: Pick<Queries, 'read'>, due: DueSchedule): Promise<Buffer | undefined> {
  const [row] = await on.read<{ workflow: Buffer | null }>(
    'SELECT workflow FROM schedules_schedules WHERE project_id = ? AND name = ? AND revision = ?',
    [due.project_id, due.name, due.revision],
  );
  return row?.workflow ?? undefined;
}

/** The first due time after `now`; null when there is none. */
export async function nextDue(on: Pick<Queries, 'read'>, now: number): Promise<number | null> {
  const [row] = await on.read<{ next_due: number | null }>(
    'SELECT MIN(next_due) AS next_due FROM schedules_schedules WHERE next_due > ?',
    [now],
  );
  return row?.next_due ?? null;
}

/** The facts about a tick, stored with its schedule. */
export interface TickRecord {
  due: number;
  next: number | undefined;
  ticked_at: number;
  event: string;
  run: string | undefined;
  missed_count: number | undefined;
  error: string | undefined;
}

/** Takes the tick: true for the server that advanced the schedule from the revision and due time that it read. */
export async function takeTick(on: Queries, due: DueSchedule, tick: TickRecord): Promise<boolean> {
  const taken = await on.write(
    `UPDATE schedules_schedules
     SET next_due = ?, last_due = ?, ticked_at = ?, last_event = ?, last_run = ?, missed_count = ?, last_error = ?,
       last_by = NULL
     WHERE project_id = ? AND name = ? AND revision = ? AND next_due = ?`,
    [
      tick.next ?? null,
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
  return taken === 1;
}

/** Records a tick by hand, which moves nothing on. The caller holds the schedule. */
export async function noteTriggered(
  on: Queries,
  { project_id, name }: Pick<DueSchedule, 'project_id' | 'name'>,
  tick: Pick<TickRecord, 'due' | 'event' | 'run' | 'error'> & { by: string },
): Promise<void> {
  await on.write(
    `UPDATE schedules_schedules
     SET last_due = ?, ticked_at = ?, last_event = ?, last_run = ?, missed_count = NULL, last_error = ?, last_by = ?
     WHERE project_id = ? AND name = ?`,
    [tick.due, tick.due, tick.event, tick.run ?? null, tick.error ?? null, tick.by, project_id, name],
  );
}

/** The due time was recorded before: the schedule shows that event, and no run of this tick. */
export async function showFirst(on: Queries, { project_id, name }: DueSchedule, event: string): Promise<void> {
  await on.write('UPDATE schedules_schedules SET last_event = ?, last_run = NULL WHERE project_id = ? AND name = ?', [
    event,
    project_id,
    name,
  ]);
}
