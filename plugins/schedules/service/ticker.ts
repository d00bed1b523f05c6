import {
  type BatchOutcome,
  type Database,
  failpoint,
  type GroupCommit,
  type GroupCommits,
  type Ids,
  isServiceError,
  type Log,
  type Metrics,
  type Sealer,
  type ServiceError,
  type Transaction,
  iso,
} from '../../../kernel/contracts/index.ts';
import type { EventBus, NewEvent } from '../../bus/contract.ts';
import type { Json, NewRun, RunCreation } from '../../runs/contract.ts';
import type { StoredWorkflows } from '../../workflows/contract.ts';
import { readCron } from '../domain/cron.ts';
import { type Tick, tickOf } from '../domain/ticks.ts';
import { findZone } from '../domain/zone.ts';
import {
  type DuePlace,
  type DueSchedule,
  dueSchedules,
  dueWorkflow,
  nextDue,
  showFirst,
  takeTick,
} from '../store/tick-rows.ts';
import { placeOf, startOf } from './workflow.ts';

export interface TickerParts {
  database: Database;
  group_commits: GroupCommits;
  sealer: Sealer;
  ids: Ids;
  log: Log;
  metrics: Metrics;
  bus: Pick<EventBus, 'lock' | 'record'>;
  creation: Pick<RunCreation, 'createIn'>;
  workflows: StoredWorkflows;
}

/** A tick with everything that it creates, for one transaction. */
interface Planned {
  due: DueSchedule;
  tick: Tick;
  event_id: string;
  run: NewRun | undefined;
  /** Why there is no run although there is a workflow. */
  error: string | undefined;
}

type Taken = 'ticked' | 'gone';

/** Schedules read in one pass, and documents of theirs opened at once. */
const PAGE = 100;
const ABREAST = 16;
const MAX_IN_ONE = 64;
/** Pause before a failed schedule is tried again, so that it does not delay others. */
const RETRY_MS = 5000;

/**
 * Records due times, each once for all servers: the statement that advances a schedule, the event and the run are one
 * transaction, and only one of the servers that read a due time advances it.
 */
export class Ticker {
  readonly #parts: TickerParts;
  readonly #commits: GroupCommit<Planned, Taken>;
  readonly #ticked: { inc(labels?: Record<string, string>, by?: number): void };
  /** Failed schedules and when they are tried again, by the database's clock. */
  readonly #failed = new Map<string, number>();

  constructor(parts: TickerParts) {
    this.#parts = parts;
    this.#ticked = parts.metrics.counter('svc_schedule_ticks_total', 'Ticks recorded by this server.', ['missed']);
    this.#commits = parts.group_commits.create<Planned, Taken>({
      name: 'schedules.tick',
      max_batch: MAX_IN_ONE,
      flush: (tx, batch) => flush(tx, batch, parts),
    });
  }

  /**
   * Records everything that is due. Answers how many ticks, and when the next one is. Throws when the database fails.
   */
  async tickDue(): Promise<{ ticked: number; next: number | null }> {
    const { database } = this.#parts;
    const now = database.now();
    this.#forget(now);
    let ticked = 0;
    let after: DuePlace | undefined;
    for (;;) {
      const page = await dueSchedules(database, now, after, PAGE);
      const ready = page.filter((due) => !this.#failed.has(keyOf(due)));
      for (let i = 0; i < ready.length; i += ABREAST) ticked += await this.#tickAll(ready.slice(i, i + ABREAST), now);
      after = page.at(-1);
      if (page.length < PAGE) break;
    }
    return { ticked, next: await nextDue(database, now) };
  }

  /** A failing schedule does not affect others; when all fail, the database is the cause. */
  async #tickAll(due: readonly DueSchedule[], now: number): Promise<number> {
    const outcomes = await Promise.allSettled(due.map((one) => this.#tick(one, now)));
    const failures = outcomes.flatMap((outcome, i) =>
      outcome.status === 'rejected' ? [{ due: due[i]!, reason: outcome.reason as unknown }] : [],
    );
    const broken = failures.find(({ reason }) => ofTheDatabase(reason));
    if (broken) throw broken.reason;
    for (const { due: one, reason } of failures) {
      this.#failed.set(keyOf(one), now + RETRY_MS);
      const { org, project, name } = one;
      this.#parts.log.error({ err: reason, org, project, schedule: name }, 'ticking a schedule failed; retrying');
    }
    return outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value === 'ticked').length;
  }

  async #tick(due: DueSchedule, now: number): Promise<Taken> {
    const planned = await this.#plan(due, now);
    if (planned === undefined) return 'gone';
    const taken = await this.#commits.submit(planned).catch((error: unknown) => {
      if (planned.run === undefined || !isRefusal(error)) throw error;
      // The event is recorded in any case, and the schedule shows why nothing runs.
      return this.#commits.submit({ ...planned, run: undefined, error: `${error.code}: ${error.message}` });
    });
    if (taken === 'ticked') this.#ticked.inc({ missed: planned.tick.missed ? 'true' : 'false' });
    return taken;
  }

  async #plan(due: DueSchedule, now: number): Promise<Planned | undefined> {
    const { ids, sealer, database, workflows } = this.#parts;
    const zone = findZone(due.timezone);
    const read = zone && readCron(due.cron, zone);
    if (read === undefined || 'fault' in read) throw new Error(`"${due.cron}" in ${due.timezone} is no longer valid`);
    const tick = tickOf(read.times, due.next_due, now);
    const planned: Planned = { due, tick, event_id: ids.next('evt'), run: undefined, error: undefined };
    // Observers of the event may seal.
    await sealer.prepare(due.org_id);
    if (due.about === null) return planned;
    const blob = await dueWorkflow(database, due);
    if (blob === undefined) return undefined;
    const workflow = workflows.open(placeOf(due, due.name, due.revision), blob);
    const start = startOf(due.name, due.subject, planned.event_id);
    const one = await workflows.plan(database, due, workflow, start);
    return 'run' in one ? { ...planned, run: one.run } : { ...planned, error: one.refused };
  }

  #forget(now: number): void {
    for (const [key, until] of this.#failed) if (until <= now) this.#failed.delete(key);
  }
}

const keyOf = ({ project_id, name, revision }: DueSchedule): string => `${project_id} ${name} ${revision}`;
const isRefusal = (error: unknown): error is ServiceError => isServiceError(error) && error.status < 500;
const ofTheDatabase = (error: unknown): boolean => isServiceError(error) && error.status >= 500;

/** The bus's lock order: projects by their ids, then the schedules of each. */
async function flush(
  tx: Transaction,
  batch: readonly Planned[],
  { database, bus, creation }: TickerParts,
): Promise<BatchOutcome<Taken>[]> {
  const ordered = [...batch].sort((a, b) => compare(keyOf(a.due), keyOf(b.due)));
  for (const due of new Map(ordered.map((one) => [one.due.project_id, one.due])).values()) await bus.lock(tx, due);
  const taken: Planned[] = [];
  for (const one of ordered) if (await takeTick(tx, one.due, recordOf(one, database.now()))) taken.push(one);
  if (taken.length > 0) {
    const events = await bus.record(tx, taken.map(eventOf));
    failpoint('schedules.ticked');
    const fresh: NewRun[] = [];
    for (const [i, { event_id, duplicate }] of events.entries()) {
      const { due, run } = taken[i]!;
      if (duplicate) await showFirst(tx, due, event_id);
      else if (run) fresh.push(run);
    }
    if (fresh.length > 0) await creation.createIn(tx, fresh);
  }
  return batch.map((one) => ({ ok: taken.includes(one) ? 'ticked' : 'gone' }));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const recordOf = ({ tick, event_id, run, error }: Planned, ticked_at: number) => ({
  due: tick.due,
  next: tick.next,
  ticked_at,
  event: event_id,
  run: run?.run_id,
  missed_count: tick.missed?.count,
  error,
});

function eventOf({ due, tick, event_id }: Planned): NewEvent {
  const { org_id, project_id, name, subject, cron, timezone } = due;
  return {
    org_id,
    project_id,
    event_id,
    type: 'schedule.tick',
    key: subject,
    payload: { schedule: name, due: iso(tick.due), cron, timezone, ...missedOf(tick) },
    fields: { schedule: name },
    source: 'schedule',
    source_name: name,
    generation: 0,
    trusted: true,
    dedup: `schedule:${name}:${iso(tick.due)}`,
    refusable: false,
  };
}

function missedOf({ missed }: Tick): { [member: string]: Json } {
  if (missed === undefined) return {};
  return {
    missed: true,
    missed_count: missed.count,
    ...(missed.more ? { missed_more: true } : {}),
    first_due: iso(missed.first_due),
    last_due: iso(missed.last_due),
  };
}
