import {
  type Database,
  Errors,
  type Ids,
  type Page,
  pageOf,
  type Scope,
  type Sealer,
  settled,
  token,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import type { RunCreation, Wakeups } from '../../runs/contract.ts';
import { type CronTimes, readCron } from '../domain/cron.ts';
import { checkName, checkSubject, isName } from '../domain/names.ts';
import { findZone, type Zone } from '../domain/zone.ts';
import { ScheduleErrors } from '../errors.ts';
import type { PutScheduleBody } from '../generated/put-schedule.ts';
import {
  countSchedules,
  listSchedules,
  type NewSchedule,
  readSchedule,
  removeSchedule,
  type ScheduleEntry,
  type ScheduleRow,
  type ScheduleScope,
  writeSchedule,
} from '../store/schedule-table.ts';
import { inWorkflow, openWorkflow, sealWorkflow, submitOf, type Workflow } from './workflow.ts';

/** Enough for a project, and few enough that those due at one moment are recorded within seconds. */
export const MOST_SCHEDULES = 1000;
/** Said when schedules have changed: when the next one is due may be another time. */
export const CHANGED = 'schedules.changed';

export interface ScheduleParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  audit: Audit;
  creation: RunCreation;
  wakeups: Pick<Wakeups, 'topic'>;
}

export interface Schedule {
  entry: ScheduleEntry;
  workflow: Workflow | undefined;
}

const noSchedule = (name: string) => Errors.notFound(`no schedule ${name.slice(0, 63)} in this project`);

/** Sets, shows and removes schedules; what is done and the audit row of it are one transaction. */
export class Schedules {
  readonly #parts: ScheduleParts;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
  }

  /**
   * What it has become, whatever others do to it afterwards, and whether it is new. Throws `invalid_request`,
   * `cron_invalid`, `schedules_full` and what a submit throws.
   */
  async set(scope: Scope, name: string, body: PutScheduleBody, by: AuditSource): Promise<Schedule & { made: boolean }> {
    const { database, wakeups } = this.#parts;
    checkName(name);
    checkSubject(body.subject);
    const times = timesOf(body.cron, zoneOf(body.timezone ?? 'UTC'), database.now());
    const schedule = await this.#checked(scope, name, body, by);
    const written = await settled(() =>
      database.transaction(async (tx) => {
        // From the moment of the change on: nothing before it is due.
        const set_at = database.now();
        const next_due = body.paused === true ? null : (times.after(set_at) ?? null);
        const made = await writeSchedule(tx, { ...schedule, set_at, next_due });
        if (made && (await countSchedules(tx, scope)) > MOST_SCHEDULES)
          throw ScheduleErrors.schedulesFull(`the project has ${MOST_SCHEDULES} schedules`);
        await this.#record(tx, scope, 'schedule.set', name, by, `${body.cron} ${schedule.timezone}`);
        return { made, entry: (await readSchedule(tx, scope, name))! };
      }),
    );
    wakeups.topic(CHANGED);
    return { ...written, workflow: body.workflow as Workflow | undefined };
  }

  async #checked(scope: Scope, name: string, body: PutScheduleBody, by: AuditSource): Promise<NewSchedule> {
    const { sealer, ids, creation } = this.#parts;
    const { org_id, project_id, org, project } = scope;
    const workflow = body.workflow as Workflow | undefined;
    const place = {
      org_id,
      project_id,
      org,
      project,
      name,
      subject: body.subject ?? null,
      set_by: by.principal?.id ?? null,
    };
    const run =
      workflow &&
      (await creation.prepare(submitOf(place, workflow)).catch((error: unknown) => {
        throw inWorkflow(error);
      }));
    await sealer.prepare(org_id);
    const revision = ids.next('rev');
    const credentials = workflow?.credentials ?? {};
    return {
      ...place,
      schedule_id: ids.next('sch'),
      revision,
      cron: body.cron,
      timezone: body.timezone ?? 'UTC',
      paused: body.paused === true ? 1 : 0,
      workflow: workflow === undefined ? null : sealWorkflow(sealer, scope, name, revision, workflow),
      about: run === undefined ? null : JSON.stringify(aboutOf(run.kind, workflow?.filename)),
      credentials: Object.keys(credentials).length === 0 ? null : JSON.stringify(credentials),
      next_due: null,
      set_at: 0,
    };
  }

  /** Throws `not_found`. */
  async remove(scope: ScheduleScope, name: string, by: AuditSource): Promise<void> {
    if (!isName(name)) throw noSchedule(name);
    await this.#parts.database.transaction(async (tx) => {
      if (!(await removeSchedule(tx, scope, name))) throw noSchedule(name);
      await this.#record(tx, scope, 'schedule.delete', name, by);
    });
  }

  /** Throws `not_found`. */
  async read(scope: ScheduleScope, name: string): Promise<Schedule> {
    const row = await this.#row(scope, name);
    if (row.workflow === null) return { entry: row, workflow: undefined };
    await this.#parts.sealer.prepare(scope.org_id);
    return { entry: row, workflow: openWorkflow(this.#parts.sealer, scope, name, row.revision, row.workflow) };
  }

  async list(scope: ScheduleScope, page: Page): Promise<{ items: ScheduleEntry[]; next_cursor?: string }> {
    const rows = await listSchedules(this.#parts.database, scope, page);
    return pageOf(rows, page.limit, ({ schedule_id }) => schedule_id);
  }

  /** The next times, whether it is paused or not; fewer when there are no more. Throws `not_found`. */
  async upcoming(scope: ScheduleScope, name: string, count: number): Promise<{ entry: ScheduleEntry; next: number[] }> {
    const entry = await this.#row(scope, name);
    let at: number | undefined = this.#parts.database.now();
    const times = timesOf(entry.cron, zoneOf(entry.timezone), undefined);
    const next: number[] = [];
    while (next.length < count) {
      at = times.after(at);
      if (at === undefined) break;
      next.push(at);
    }
    return { entry, next };
  }

  async #row(scope: ScheduleScope, name: string): Promise<ScheduleRow> {
    const row = isName(name) ? await readSchedule(this.#parts.database, scope, name) : undefined;
    if (row === undefined) throw noSchedule(name);
    return row;
  }

  #record(tx: Transaction, scope: ScheduleScope, action: string, subject: string, by: AuditSource, detail?: string) {
    const { org_id, project_id } = scope;
    return this.#parts.audit.record(tx, {
      ...by,
      org_id,
      project_id,
      action,
      subject,
      ...(detail === undefined ? {} : { detail }),
    });
  }
}

const aboutOf = (kind: string, filename: string | undefined) => ({
  kind,
  ...(filename === undefined ? {} : { filename }),
});

function zoneOf(name: string): Zone {
  const zone = findZone(name);
  if (zone) return zone;
  const message = 'is no time zone; write an IANA name like Europe/Berlin or America/New_York, or UTC';
  throw Errors.invalidRequest(`timezone ${message}`, { errors: [{ pointer: '/timezone', message }] });
}

/** `from` absent: it was checked when it was set. Throws `cron_invalid`. */
function timesOf(cron: string, zone: Zone, from: number | undefined): CronTimes {
  const read = readCron(cron, zone, from);
  if ('times' in read) return read.times;
  throw ScheduleErrors.cronInvalid(`cron ${read.fault}`, { errors: [{ pointer: '/cron', message: read.fault }] });
}

/** The token under which the routes find them. */
export const OwnSchedules = token<Schedules>('schedules.Schedules');
