import {
  type Database,
  Errors,
  type Ids,
  iso,
  isServiceError,
  type Page,
  type Scope,
  type Sealer,
  token,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import {
  type AuditedWrites,
  checkOwnedName,
  type NamedCall,
  type ProjectScope,
  type ResourceService,
} from '../../resources/contract.ts';
import type { Wakeups } from '../../runs/contract.ts';
import type { StoredWorkflows } from '../../workflows/contract.ts';
import { type CronTimes, readCron } from '../domain/cron.ts';
import type { ScheduleOwnership } from '../contract.ts';
import { checkSubject, SCHEDULE } from '../domain/names.ts';
import { findZone, type Zone } from '../domain/zone.ts';
import { ScheduleErrors } from '../errors.ts';
import type { NextDue } from '../generated/next-due.ts';
import type { PutScheduleBody } from '../generated/put-schedule.ts';
import type { ScheduleView } from '../generated/schedule.ts';
import { type ScheduleRow, schedules } from '../store/schedules.ts';
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
   * Answers the stored schedule. Throws `invalid_request`, `cron_invalid`, `schedule_owned`, `schedules_full` and the errors of a
   * submit.
   */
  async set(call: NamedCall, body: PutScheduleBody) {
    const { wakeups, writes } = this.#parts;
    checkSubject(body.subject);
    const prepared = await this.#prepare(call.scope, call.name, null, call.by.principal?.id ?? null, body);
    const { made, row } = await writes.write(
      call,
      'schedule.set',
      async (tx) => {
        const made = await prepared.put(tx);
        return { made, row: await schedules.get(tx, call.scope, call.name) };
      },
      () => `${body.cron} ${body.timezone ?? 'UTC'}`,
    );
    wakeups.topic(CHANGED);
    return { made, view: viewOf(row, prepared.workflow) };
  }

  /** For the plugins whose resources have schedules. */
  readonly ownership: ScheduleOwnership = {
    faults: (cron, timezone = 'UTC') => {
      const zone = findZone(timezone);
      if (!zone) return [{ pointer: '/timezone', message: NO_ZONE }];
      const read = readCron(cron, zone, this.#parts.database.now());
      return 'times' in read ? [] : [{ pointer: '/cron', message: read.fault }];
    },
    prepare: async ({ scope, name, owner, cron, timezone, workflow, set_by }) => {
      checkOwnedName(name);
      const prepared = await this.#prepare(scope, name, owner, set_by, { cron, timezone, workflow });
      return {
        put: async (tx) => {
          await prepared.put(tx).catch(asConflict);
          tx.afterCommit(() => this.#parts.wakeups.topic(CHANGED));
          return (await schedules.get(tx, scope, name)).next_due ?? undefined;
        },
      };
    },
    drop: (tx, { name, owner, ...scope }) => schedules.remove(tx, scope, name, { owner }),
  };

  async #prepare(scope: Scope, name: string, owner: string | null, set_by: string | null, body: PutScheduleBody) {
    const { database } = this.#parts;
    const times = timesOf(body.cron, zoneOf(body.timezone ?? 'UTC'), database.now());
    const { schedule, workflow } = await this.#checked(scope, name, { owner, set_by }, body);
    const put = async (tx: Transaction): Promise<boolean> => {
      refuseOwned(await schedules.lock(tx, scope, name), owner);
      // Counted from the change: nothing before it is due.
      const set_at = database.now();
      const next_due = body.paused === true ? null : (times.after(set_at) ?? null);
      return schedules.put(tx, { ...schedule, created_at: set_at, set_at, next_due });
    };
    return { workflow, put };
  }

  async #checked(
    { org_id, project_id, org, project }: Scope,
    name: string,
    by: Pick<ScheduleRow, 'owner' | 'set_by'>,
    body: PutScheduleBody,
  ) {
    const { ids, workflows } = this.#parts;
    const scope = { org_id, project_id, org, project };
    const revision = ids.next('rev');
    const at = placeOf(scope, name, revision);
    const place = (member: string) => `/workflow${member}`;
    const stored = body.workflow && (await workflows.store({ ...scope, set_by: by.set_by }, body.workflow, at, place));
    const schedule = {
      ...scope,
      ...by,
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

  /** Throws `not_found`, `schedule_owned`. */
  remove(call: NamedCall): Promise<void> {
    const remove = async (tx: Transaction, scope: ProjectScope, name: string) => {
      const present = await schedules.lock(tx, scope, name);
      if (!present) return false;
      refuseOwned(present, null);
      return schedules.remove(tx, scope, name);
    };
    return this.#parts.writes.remove(call, 'schedule.delete', { ...SCHEDULE, remove });
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

const NO_ZONE = 'is not a time zone; write an IANA name like Europe/Berlin or America/New_York, or UTC';

/** Throws `schedule_owned`. */
function refuseOwned(present: ScheduleRow | undefined, owner: string | null): void {
  if (!present || present.owner === owner) return;
  throw ScheduleErrors.scheduleOwned(
    `the schedule ${present.name} ${present.owner === null ? 'was made by a user' : `belongs to ${present.owner}`}`,
  );
}

function asConflict(error: unknown): never {
  throw isServiceError(error, 'schedule_owned') ? Errors.nameConflict(error.message) : error;
}

function zoneOf(name: string): Zone {
  const zone = findZone(name);
  if (zone) return zone;
  throw Errors.invalidRequest(`timezone ${NO_ZONE}`, { errors: [{ pointer: '/timezone', message: NO_ZONE }] });
}

/** Without `from`: the expression was checked when it was set. Throws `cron_invalid`. */
function timesOf(cron: string, zone: Zone, from: number | undefined): CronTimes {
  const read = readCron(cron, zone, from);
  if ('times' in read) return read.times;
  throw ScheduleErrors.cronInvalid(`cron ${read.fault}`, { errors: [{ pointer: '/cron', message: read.fault }] });
}

/** The token under which the routes find them. */
export const OwnSchedules = token<Schedules>('schedules.Schedules');
