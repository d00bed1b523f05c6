import {
  type Database,
  Errors,
  type Ids,
  iso,
  type Page,
  type Scope,
  type Sealer,
  token,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import {
  type AuditedWrites,
  checkManagedName,
  type NamedRequest,
  notFound,
  ownershipOf,
  type ProjectScope,
  type ResourceService,
} from '../../../platform/resources/contract.ts';
import type { Wakeups } from '../../../engine/runs/contract.ts';
import type { EventBus } from '../../bus/contract.ts';
import type { StoredWorkflows } from '../../workflows/contract.ts';
import { type CronTimes, parseCron } from '../domain/cron.ts';
import type { ScheduleOwnership } from '../contract.ts';
import { assertSubject, SCHEDULE } from '../domain/names.ts';
import { findZone, type Zone } from '../domain/zone.ts';
import { parseOptions } from '../domain/options.ts';
import { listDues, readRange, tooManyWaiting } from '../domain/range.ts';
import { nextStart, type Start } from '../domain/starts.ts';
import { ScheduleErrors } from '../errors.ts';
import type { BackfillScheduleBody } from '../generated/backfill-schedule.ts';
import type { BackfilledSchedule } from '../generated/backfilled-schedule.ts';
import type { NextDue } from '../generated/next-due.ts';
import type { PutScheduleBody } from '../generated/put-schedule.ts';
import type { ScheduleView } from '../generated/schedule.ts';
import { type ScheduleRow, schedules, writePause } from '../store/schedules.ts';
import {
  addBackfill,
  countWaiting,
  dropTicks,
  listOpen,
  listSkipped,
  listWaiting,
  MAX_QUEUED,
  MAX_WAITING,
} from '../store/waiting-ticks.ts';
import { dueDedup } from './tick-event.ts';
import { renderNext, toView } from './view.ts';
import { sealContext } from './workflow.ts';

/** The wakeup topic for changed schedules, whose next due time may be different. */
export const CHANGED_TOPIC = 'schedules.changed';

const ownership = ownershipOf('schedule', ScheduleErrors.scheduleOwned);

export interface ScheduleDeps {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  writes: AuditedWrites;
  workflows: StoredWorkflows;
  wakeups: Pick<Wakeups, 'topic'>;
  bus: Pick<EventBus, 'lock' | 'findDuplicates'>;
}

export class Schedules implements ResourceService<PutScheduleBody> {
  readonly #deps: ScheduleDeps;

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
  }

  /**
   * Creates or replaces a schedule and returns it. Throws `invalid_request`, `cron_invalid`, `schedule_owned`,
   * `schedules_full` and the errors of a submit.
   */
  async set(call: NamedRequest, body: PutScheduleBody) {
    const { wakeups, writes } = this.#deps;
    assertSubject(body.subject);
    const prepared = await this.#prepare(call.scope, call.name, { owner: null, ...toSetter(call) }, body);
    const { made: created, row } = await writes.write(
      call,
      'schedule.set',
      async (tx) => {
        const made = await prepared.put(tx);
        return { made, row: await schedules.get(tx, call.scope, call.name) };
      },
      () => `${body.cron} ${body.timezone ?? 'UTC'}`,
    );
    wakeups.topic(CHANGED_TOPIC);
    return { made: created, view: toView(row, prepared.workflow) };
  }

  /** Used by the plugins whose resources own schedules. */
  readonly ownership: ScheduleOwnership = {
    validate: (cron, timezone = 'UTC') => {
      const zone = findZone(timezone);
      if (!zone) return [{ pointer: '/timezone', message: UNKNOWN_ZONE }];
      const read = parseCron(cron, zone, this.#deps.database.now());
      return 'times' in read ? [] : [{ pointer: '/cron', message: read.problem }];
    },
    prepare: async ({ scope, name, owner, cron, timezone, workflow, set_by }) => {
      checkManagedName(name);
      const by = { owner, set_by, setter: null };
      const prepared = await this.#prepare(scope, name, by, { cron, timezone, workflow });
      return {
        put: async (tx) => {
          await prepared.put(tx).catch(ownership.toNameConflict);
          tx.afterCommit(() => this.#deps.wakeups.topic(CHANGED_TOPIC));
          const { due_at, next_due } = await schedules.get(tx, scope, name);
          return due_at ?? next_due ?? undefined;
        },
      };
    },
    drop: (tx, { name, owner, ...scope }) => removeSchedule(tx, scope, name, { owner }),
  };

  async #prepare(scope: Scope, name: string, by: ScheduleWriter, body: PutScheduleBody) {
    const { database } = this.#deps;
    const { owner, setter } = by;
    const now = database.now();
    const times = parseTimes(body.cron, resolveZone(body.timezone ?? 'UTC'), now);
    const options = parseOptions(body, times, now);
    const { schedule, workflow } = await this.#validate(scope, name, by, body);
    const put = async (tx: Transaction): Promise<boolean> => {
      const present = await schedules.lock(tx, scope, name);
      ownership.assertSame(present, owner);
      const set_at = database.now();
      // A resource that owns schedules knows nothing of pauses, so its schedule stays paused if somebody paused it.
      const paused = body.paused ?? (owner !== null && present?.paused === 1);
      const since = present?.paused === 1 ? present : { paused_at: set_at, paused_by: setter };
      const pause = paused ? { paused_at: since.paused_at, paused_by: since.paused_by } : NOT_PAUSED;
      // Counted from this change on, so nothing before it is due.
      const rules = { ...options, schedule_id: present?.schedule_id ?? schedule.schedule_id };
      const next = paused ? NEVER : startColumns(nextStart(times, rules, set_at));
      const row = { ...schedule, ...options, ...pause, ...next, paused: paused ? 1 : 0, created_at: set_at, set_at };
      return schedules.put(tx, row);
    };
    return { workflow, put };
  }

  async #validate(
    { org_id, project_id, org, project }: Scope,
    name: string,
    { owner, set_by }: ScheduleWriter,
    body: PutScheduleBody,
  ) {
    const { ids, workflows } = this.#deps;
    const scope = { org_id, project_id, org, project };
    const revision = ids.next('rev');
    const context = sealContext(scope, name, revision);
    const pointer = (member: string) => `/workflow${member}`;
    const stored = body.workflow && (await workflows.store({ ...scope, set_by }, body.workflow, context, { pointer }));
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

  /**
   * Stops the ticks until the schedule is resumed. A schedule that is already paused keeps its time. Throws
   * `not_found`.
   */
  pause(call: NamedRequest): Promise<ScheduleView> {
    return this.#changeClock(call, 'schedule.pause', (row, now) => ({
      paused_at: row.paused === 1 ? (row.paused_at ?? now) : now,
      paused_by: row.paused === 1 ? row.paused_by : toSetter(call).setter,
      ...NEVER,
    }));
  }

  /** Ticks again from now on; due times missed in between are dropped. Throws `not_found`. */
  resume(call: NamedRequest): Promise<ScheduleView> {
    return this.#changeClock(call, 'schedule.resume', (row, now) => {
      if (row.paused === 0) return { ...NOT_PAUSED, next_due: row.next_due, due_at: row.due_at };
      const times = parseTimes(row.cron, resolveZone(row.timezone), undefined);
      return { ...NOT_PAUSED, ...startColumns(nextStart(times, row, now)) };
    });
  }

  async #changeClock(call: NamedRequest, action: string, change: (row: ScheduleRow, now: number) => PauseState) {
    const { database, writes, wakeups } = this.#deps;
    const row = await writes.write(call, action, async (tx) => {
      const present = await schedules.lock(tx, call.scope, call.name);
      if (present === undefined) throw notFound(SCHEDULE, call.name);
      await writePause(tx, present, change(present, database.now()));
      return schedules.get(tx, call.scope, call.name);
    });
    wakeups.topic(CHANGED_TOPIC);
    return this.#openView(row);
  }

  remove(call: NamedRequest): Promise<void> {
    const remove = async (tx: Transaction, scope: ProjectScope, name: string) => {
      const present = await schedules.lock(tx, scope, name);
      if (!present) return false;
      ownership.assertSame(present, null);
      return removeSchedule(tx, scope, name);
    };
    return this.#deps.writes.remove(call, 'schedule.delete', { ...SCHEDULE, remove });
  }

  async read({ scope, name }: NamedRequest): Promise<ScheduleView> {
    return this.#openView(await schedules.get(this.#deps.database, scope, name));
  }

  async #openView(row: ScheduleRow): Promise<ScheduleView> {
    if (row.workflow === null) return toView(row);
    await this.#deps.sealer.prepare(row.org_id);
    return toView(row, this.#deps.workflows.open(sealContext(row, row.name, row.revision), row.workflow));
  }

  /** Shows only the kind and file name of workflows. */
  list(scope: ProjectScope, page: Page) {
    return schedules.page(this.#deps.database, scope, page, (entry) => toView(entry));
  }

  /** Returns the next due times, even of a paused schedule, and why due times wait or were skipped. Throws `not_found`. */
  async upcoming(call: NamedRequest, count: number): Promise<NextDue> {
    const { database } = this.#deps;
    const row = await schedules.get(database, call.scope, call.name);
    const times = parseTimes(row.cron, resolveZone(row.timezone), undefined);
    const starts: Start[] = [];
    // A due time that has begun to wait for its jitter is still to come.
    const pending =
      row.due_at !== null && row.next_due !== null && row.next_due > database.now() ? row.due_at - 1 : undefined;
    for (let after = pending ?? database.now(); starts.length < count; ) {
      const start = nextStart(times, row, after);
      if (start === undefined) break;
      starts.push(start);
      after = start.due;
    }
    const [open] = await listOpen(database, row, 1);
    const waiting = await listWaiting(database, row, MAX_QUEUED);
    return renderNext(row, { starts, open, waiting, skipped: await listSkipped(database, row) });
  }

  /**
   * Adds the due times of a range, which then start one after another or all at once. They are stored in one
   * transaction, and each of them starts once, even if the request is repeated. Throws `not_found`, `invalid_request`,
   * `backfill_too_large`.
   */
  async backfill(call: NamedRequest, body: BackfillScheduleBody): Promise<BackfilledSchedule> {
    const { bus, database, writes, wakeups } = this.#deps;
    const { overlap = 'queue' } = body;
    const range = readRange(body, database.now());
    const result = await writes.write(
      call,
      'schedule.backfill',
      async (tx) => {
        await bus.lock(tx, call.scope);
        const row = await schedules.lock(tx, call.scope, call.name);
        if (row === undefined) throw notFound(SCHEDULE, call.name);
        const { name } = row;
        const dues = listDues(parseTimes(row.cron, resolveZone(row.timezone), undefined), range);
        const dedups = dues.map((due) => dueDedup(name, due));
        const recorded = await bus.findDuplicates(tx, row, dedups);
        const missing = dues.filter((_, at) => !recorded.has(dedups[at]!));
        const added = await addBackfill(tx, row, missing, { overlap, written_at: database.now() });
        if ((await countWaiting(tx, row.project_id)) >= MAX_WAITING) throw tooManyWaiting();
        return { name, from: iso(range.from), to: iso(range.to), due_times: dues.length, added };
      },
      ({ from, to, added }) => `${added} due times from ${from} to ${to}`,
    );
    wakeups.topic(CHANGED_TOPIC);
    return result;
  }
}

/** Removes a schedule with everything that waits for it. */
async function removeSchedule(
  tx: Transaction,
  scope: ProjectScope,
  name: string,
  guard?: Pick<ScheduleRow, 'owner'>,
): Promise<boolean> {
  const removed = await schedules.remove(tx, scope, name, guard);
  if (removed) await dropTicks(tx, { ...scope, name });
  return removed;
}

/** The columns of a start. */
const startColumns = (next: Start | undefined): Pick<ScheduleRow, 'next_due' | 'due_at'> =>
  next === undefined ? NEVER : { next_due: next.starts_at, due_at: next.starts_at === next.due ? null : next.due };

const NEVER = { next_due: null, due_at: null };

type PauseState = Parameters<typeof writePause>[2];

/** Who a schedule is written for. */
interface ScheduleWriter extends Pick<ScheduleRow, 'owner' | 'set_by'> {
  /** The name of the person. */
  setter: string | null;
}

const toSetter = ({ by: { principal } }: NamedRequest) => ({
  set_by: principal?.id ?? null,
  setter: principal?.name ?? null,
});

const NOT_PAUSED = { paused_at: null, paused_by: null };

const UNKNOWN_ZONE = 'is not a time zone; write an IANA name like Europe/Berlin or America/New_York, or UTC';

function resolveZone(name: string): Zone {
  const zone = findZone(name);
  if (zone) return zone;
  throw Errors.invalidRequest(`timezone ${UNKNOWN_ZONE}`, {
    errors: [{ pointer: '/timezone', message: UNKNOWN_ZONE }],
  });
}

/** Without `from`, the expression was already validated when it was set. Throws `cron_invalid`. */
function parseTimes(cron: string, zone: Zone, from: number | undefined): CronTimes {
  const parsed = parseCron(cron, zone, from);
  if ('times' in parsed) return parsed.times;
  throw ScheduleErrors.cronInvalid(`cron ${parsed.problem}`, {
    errors: [{ pointer: '/cron', message: parsed.problem }],
  });
}

/** The token under which the routes resolve `Schedules`. */
export const SchedulesToken = token<Schedules>('schedules.Schedules');
