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
  notFound,
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
import { type ScheduleRow, schedules, writePause } from '../store/schedules.ts';
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
    const prepared = await this.#prepare(call.scope, call.name, { owner: null, ...setterOf(call) }, body);
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
      const by = { owner, set_by, setter: null };
      const prepared = await this.#prepare(scope, name, by, { cron, timezone, workflow });
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

  async #prepare(scope: Scope, name: string, by: SetBy, body: PutScheduleBody) {
    const { database } = this.#parts;
    const { owner, setter } = by;
    const times = timesOf(body.cron, zoneOf(body.timezone ?? 'UTC'), database.now());
    const { schedule, workflow } = await this.#checked(scope, name, by, body);
    const put = async (tx: Transaction): Promise<boolean> => {
      const present = await schedules.lock(tx, scope, name);
      refuseOwned(present, owner);
      const set_at = database.now();
      // A resource that owns schedules knows nothing of pauses: its schedule stays as somebody left it.
      const paused = body.paused ?? (owner !== null && present?.paused === 1);
      const since = present?.paused === 1 ? present : { paused_at: set_at, paused_by: setter };
      const pause = paused ? { paused_at: since.paused_at, paused_by: since.paused_by } : NOT_PAUSED;
      // Counted from the change: nothing before it is due.
      const next_due = paused ? null : (times.after(set_at) ?? null);
      return schedules.put(tx, { ...schedule, ...pause, paused: paused ? 1 : 0, created_at: set_at, set_at, next_due });
    };
    return { workflow, put };
  }

  async #checked(
    { org_id, project_id, org, project }: Scope,
    name: string,
    { owner, set_by }: SetBy,
    body: PutScheduleBody,
  ) {
    const { ids, workflows } = this.#parts;
    const scope = { org_id, project_id, org, project };
    const revision = ids.next('rev');
    const at = placeOf(scope, name, revision);
    const place = (member: string) => `/workflow${member}`;
    const stored = body.workflow && (await workflows.store({ ...scope, set_by }, body.workflow, at, place));
    const schedule = {
      ...scope,
      owner,
      set_by,
      name,
      subject: body.subject ?? null,
      schedule_id: ids.next('sch'),
      revision,
      cron: body.cron,
      timezone: body.timezone ?? 'UTC',
      workflow: stored?.sealed ?? null,
      about: stored?.about ?? null,
      credentials: stored?.credentials ?? null,
    };
    return { schedule, workflow: stored?.workflow };
  }

  /** There are no ticks until it is resumed. What is paused stays so, since when it was. Throws `not_found`. */
  pause(call: NamedCall): Promise<ScheduleView> {
    return this.#clock(call, 'schedule.pause', (row, now) => ({
      paused_at: row.paused === 1 ? (row.paused_at ?? now) : now,
      paused_by: row.paused === 1 ? row.paused_by : setterOf(call).setter,
      next_due: null,
    }));
  }

  /** It ticks again from now on; due times that it missed are left out. Throws `not_found`. */
  resume(call: NamedCall): Promise<ScheduleView> {
    return this.#clock(call, 'schedule.resume', (row, now) => {
      const next_due = row.paused === 0 ? row.next_due : timesOf(row.cron, zoneOf(row.timezone), undefined).after(now);
      return { ...NOT_PAUSED, next_due: next_due ?? null };
    });
  }

  async #clock(call: NamedCall, action: string, become: (row: ScheduleRow, now: number) => PausedUntil) {
    const { database, writes, wakeups } = this.#parts;
    const row = await writes.write(call, action, async (tx) => {
      const present = await schedules.lock(tx, call.scope, call.name);
      if (present === undefined) throw notFound(SCHEDULE, call.name);
      await writePause(tx, present, become(present, database.now()));
      return schedules.get(tx, call.scope, call.name);
    });
    wakeups.topic(CHANGED);
    return this.#opened(row);
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
    return this.#opened(await schedules.get(this.#parts.database, scope, name));
  }

  async #opened(row: ScheduleRow): Promise<ScheduleView> {
    if (row.workflow === null) return viewOf(row);
    await this.#parts.sealer.prepare(row.org_id);
    return viewOf(row, this.#parts.workflows.open(placeOf(row, row.name, row.revision), row.workflow));
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

type PausedUntil = Parameters<typeof writePause>[2];

/** On whose behalf a schedule is written. */
interface SetBy extends Pick<ScheduleRow, 'owner' | 'set_by'> {
  /** The name of the person. */
  setter: string | null;
}

const setterOf = ({ by: { principal } }: NamedCall) => ({
  set_by: principal?.id ?? null,
  setter: principal?.name ?? null,
});

const NOT_PAUSED = { paused_at: null, paused_by: null };

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
