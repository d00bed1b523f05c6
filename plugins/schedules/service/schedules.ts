import { type Database, Errors, type Ids, iso, type Page, type Sealer } from '../../../kernel/contracts/index.ts';
import type { AuditedWrites, NamedCall, ProjectScope, ResourceService } from '../../resources/contract.ts';
import type { Wakeups } from '../../runs/contract.ts';
import type { StoredWorkflows } from '../../workflows/contract.ts';
import { type CronTimes, readCron } from '../domain/cron.ts';
import { checkSubject } from '../domain/names.ts';
import { findZone, type Zone } from '../domain/zone.ts';
import { ScheduleErrors } from '../errors.ts';
import type { NextDue } from '../generated/next-due.ts';
import type { PutScheduleBody } from '../generated/put-schedule.ts';
import type { ScheduleView } from '../generated/schedule.ts';
import { schedules } from '../store/schedules.ts';
import { viewOf } from './view.ts';
import { placeOf } from './workflow.ts';

/** The wake-up topic when schedules have changed: the next due time may be another. */
export const CHANGED = 'schedules.changed';

export interface ScheduleParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  writes: AuditedWrites;
  workflows: StoredWorkflows;
  wakeups: Pick<Wakeups, 'topic'>;
}

/** Sets, shows and removes schedules. */
export class Schedules implements ResourceService<PutScheduleBody> {
  readonly #parts: ScheduleParts;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
  }

  /**
   * Answers the stored schedule. Throws `invalid_request`, `cron_invalid`, `schedules_full` and the errors of a submit.
   */
  async set(call: NamedCall, body: PutScheduleBody) {
    const { database, wakeups, writes } = this.#parts;
    checkSubject(body.subject);
    const times = timesOf(body.cron, zoneOf(body.timezone ?? 'UTC'), database.now());
    const { schedule, workflow } = await this.#checked(call, body);
    const { made, row } = await writes.write(
      call,
      'schedule.set',
      async (tx) => {
        // Counted from the change: nothing before it is due.
        const set_at = database.now();
        const next_due = body.paused === true ? null : (times.after(set_at) ?? null);
        const made = await schedules.put(tx, { ...schedule, created_at: set_at, set_at, next_due });
        return { made, row: await schedules.get(tx, call.scope, call.name) };
      },
      () => `${body.cron} ${schedule.timezone}`,
    );
    wakeups.topic(CHANGED);
    return { made, view: viewOf(row, workflow) };
  }

  async #checked({ scope, name, by }: NamedCall, body: PutScheduleBody) {
    const { ids, workflows } = this.#parts;
    const { org_id, project_id, org, project } = scope;
    const owner = { org_id, project_id, org, project, set_by: by.principal?.id ?? null };
    const revision = ids.next('rev');
    const at = placeOf(scope, name, revision);
    const stored = body.workflow && (await workflows.store(owner, body.workflow, at, (member) => `/workflow${member}`));
    const schedule = {
      ...owner,
      name,
      subject: body.subject ?? null,
      schedule_id: ids.next('sch'),
      revision,
      cron: body.cron,
      timezone: body.timezone ?? 'UTC',
      paused: body.paused === true ? 1 : 0,
      workflow: stored?.sealed ?? null,
      about: stored?.about ?? null,
      credentials: stored?.credentials ?? null,
    };
    return { schedule, workflow: stored?.workflow };
  }

  /** Throws `not_found`. */
  remove(call: NamedCall): Promise<void> {
    return this.#parts.writes.remove(call, 'schedule.delete', schedules);
  }

  /** Throws `not_found`. */
  async read({ scope, name }: NamedCall): Promise<ScheduleView> {
    const row = await schedules.get(this.#parts.database, scope, name);
    if (row.workflow === null) return viewOf(row);
    await this.#parts.sealer.prepare(scope.org_id);
    return viewOf(row, this.#parts.workflows.open(placeOf(scope, name, row.revision), row.workflow));
  }

  /** Shows only kind and file name of the workflows. */
  list(scope: ProjectScope, page: Page) {
    return schedules.page(this.#parts.database, scope, page, (entry) => viewOf(entry));
  }

  /** The next due times, paused or not; fewer when there are no more. Throws `not_found`. */
  async upcoming(call: NamedCall, count: number): Promise<NextDue> {
    const { database } = this.#parts;
    const { name, cron, timezone, paused } = await schedules.get(database, call.scope, call.name);
    const times = timesOf(cron, zoneOf(timezone), undefined);
    const next: string[] = [];
    for (let at = times.after(database.now()); at !== undefined && next.length < count; at = times.after(at))
      next.push(iso(at));
    return { name, cron, timezone, paused: paused === 1, next };
  }
}

function zoneOf(name: string): Zone {
  const zone = findZone(name);
  if (zone) return zone;
  const message = 'is not a time zone; write an IANA name like Europe/Berlin or America/New_York, or UTC';
  throw Errors.invalidRequest(`timezone ${message}`, { errors: [{ pointer: '/timezone', message }] });
}

/** Without `from`: the expression was checked when it was set. Throws `cron_invalid`. */
function timesOf(cron: string, zone: Zone, from: number | undefined): CronTimes {
  const read = readCron(cron, zone, from);
  if ('times' in read) return read.times;
  throw ScheduleErrors.cronInvalid(`cron ${read.fault}`, { errors: [{ pointer: '/cron', message: read.fault }] });
}
