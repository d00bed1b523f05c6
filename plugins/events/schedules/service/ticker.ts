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
} from '../../../../kernel/contracts/index.ts';
import type { EventBus, NewEvent } from '../../bus/contract.ts';
import type { Json, NewRun, RunCancellation, RunCreation } from '../../../engine/runs/contract.ts';
import type { StoredWorkflows } from '../../workflows/contract.ts';
import { parseCron } from '../domain/cron.ts';
import { type Start, startOf } from '../domain/starts.ts';
import { type Tick, computeTick } from '../domain/ticks.ts';
import { findZone } from '../domain/zone.ts';
import {
  type DuePosition,
  type DueSchedule,
  listDue,
  lockDue,
  readDueWorkflow,
  readNextDue,
  showRecordedEvent,
  skipDue,
  advanceSchedule,
} from '../store/tick-rows.ts';
import {
  addOpen,
  addSkip,
  addWaiting,
  countQueued,
  dropOpen,
  listOpen,
  MAX_QUEUED,
  removeWaiting,
} from '../store/waiting-ticks.ts';
import { buildTickEvent } from './tick-event.ts';
import { sealContext, toWorkflowStart } from './workflow.ts';

export interface TickerDeps {
  database: Database;
  group_commits: GroupCommits;
  sealer: Sealer;
  ids: Ids;
  log: Log;
  metrics: Metrics;
  bus: Pick<EventBus, 'lock' | 'record'>;
  creation: Pick<RunCreation, 'createIn'>;
  cancellation: RunCancellation;
  workflows: StoredWorkflows;
}

/** A tick with everything that it creates, for one transaction. */
interface PlannedTick {
  due: DueSchedule;
  tick: Tick;
  event_id: string;
  run: NewRun | undefined;
  /** When the next due time starts. */
  next: Start | undefined;
  /** Why there is no run although there is a workflow. */
  error: string | undefined;
}

type TickResult = 'ticked' | 'skipped' | 'gone';

/** Another server has advanced the schedule, or somebody has replaced it. */
class Superseded extends Error {}

/** Runs that `overlap: cancel` cancels in one transaction. */
const MAX_CANCELLED = 100;

/** Number of schedules read at once. */
const PAGE = 100;
const MAX_CONCURRENT = 16;
const MAX_BATCH = 64;
/** Pause before a failed schedule is retried, so that it does not delay others. */
const RETRY_MS = 5000;

/**
 * Records each due time exactly once across all servers: advancing the schedule, the event and the run are one
 * transaction, and only one of the servers that read a due time advances it.
 */
export class Ticker {
  readonly #deps: TickerDeps;
  readonly #commits: GroupCommit<PlannedTick, TickResult>;
  readonly #ticks_total: { inc(labels?: Record<string, string>, by?: number): void };
  /** When each failed schedule may be retried, by the database's clock. */
  readonly #retry_at = new Map<string, number>();

  constructor(deps: TickerDeps) {
    this.#deps = deps;
    this.#ticks_total = deps.metrics.counter('svc_schedule_ticks_total', 'Ticks recorded by this server.', ['missed']);
    this.#commits = deps.group_commits.create<PlannedTick, TickResult>({
      name: 'schedules.tick',
      max_batch: MAX_BATCH,
      flush: (tx, batch) => recordTicks(tx, batch, deps),
    });
  }

  /**
   * Records everything that is due, and returns the number of ticks and the next due time. Throws when the database
   * fails.
   */
  async tickDue(): Promise<{ ticked: number; next: number | null }> {
    const { database } = this.#deps;
    const now = database.now();
    this.#evictRetries(now);
    let ticked = 0;
    let after: DuePosition | undefined;
    for (;;) {
      const page = await listDue(database, now, after, PAGE);
      const eligible = page.filter((due) => !this.#retry_at.has(scheduleKey(due)));
      for (let i = 0; i < eligible.length; i += MAX_CONCURRENT)
        ticked += await this.#tickAll(eligible.slice(i, i + MAX_CONCURRENT), now);
      after = page.at(-1);
      if (page.length < PAGE) break;
    }
    return { ticked, next: await readNextDue(database, now) };
  }

  /** A failing schedule does not affect others, but a failing database stops them all. */
  async #tickAll(due: readonly DueSchedule[], now: number): Promise<number> {
    const outcomes = await Promise.allSettled(due.map((one) => this.#tick(one, now)));
    const failures = outcomes.flatMap((outcome, i) =>
      outcome.status === 'rejected' ? [{ due: due[i]!, reason: outcome.reason as unknown }] : [],
    );
    const broken = failures.find(({ reason }) => isDatabaseFailure(reason));
    if (broken) throw broken.reason;
    for (const { due: schedule, reason } of failures) {
      this.#retry_at.set(scheduleKey(schedule), now + RETRY_MS);
      const { org, project, name } = schedule;
      this.#deps.log.error({ err: reason, org, project, schedule: name }, 'ticking a schedule failed; retrying');
    }
    return outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value !== 'gone').length;
  }

  async #tick(due: DueSchedule, now: number): Promise<TickResult> {
    const planned = await this.#plan(due, now);
    if (planned === undefined) return 'gone';
    if (due.overlap === 'cancel' && planned.run && !(await this.#cancelOpen(due))) return 'gone';
    const result = await this.#commits.submit(planned).catch((error: unknown) => {
      if (planned.run === undefined || !isRejection(error)) throw error;
      // The event is recorded in any case, and the schedule shows why nothing runs.
      return this.#commits.submit({ ...planned, run: undefined, error: `${error.code}: ${error.message}` });
    });
    if (result === 'ticked') this.#ticks_total.inc({ missed: planned.tick.missed ? 'true' : 'false' });
    return result;
  }

  /** Cancels the schedule's open runs, as long as it is still due. Killed after this, the next server starts the due time. */
  async #cancelOpen(due: DueSchedule): Promise<boolean> {
    const { database, cancellation } = this.#deps;
    const reason = `the schedule ${due.name} is due again, and its overlap policy is cancel`;
    for (;;) {
      const open = await listOpen(database, due, MAX_CANCELLED);
      if (open.length === 0) return true;
      try {
        await cancellation.cancelRuns(
          open.map(({ run_id }) => ({ run_id, reason })),
          async (tx) => {
            if (!(await lockDue(tx, due))) throw new Superseded();
            // Those that have ended are open no more, whoever ended them.
            await dropOpen(
              tx,
              open.map(({ run_id }) => run_id),
            );
          },
        );
      } catch (error) {
        if (error instanceof Superseded) return false;
        throw error;
      }
    }
  }

  async #plan(due: DueSchedule, now: number): Promise<PlannedTick | undefined> {
    const { ids, sealer, database, workflows } = this.#deps;
    const zone = findZone(due.timezone);
    const parsed = zone && parseCron(due.cron, zone);
    if (parsed === undefined || 'problem' in parsed)
      throw new Error(`"${due.cron}" in ${due.timezone} is no longer valid`);
    const tick = computeTick(parsed.times, { due: due.due_at ?? due.next_due, starts_at: due.next_due }, now, due);
    const next = tick.next === undefined ? undefined : startOf(parsed.times, due, tick.next);
    const planned: PlannedTick = { due, tick, next, event_id: ids.next('evt'), run: undefined, error: undefined };
    if (tick.skip_reason !== undefined) return planned;
    // Observers of the event may seal values.
    await sealer.prepare(due.org_id);
    if (due.about === null) return planned;
    const blob = await readDueWorkflow(database, due);
    if (blob === undefined) return undefined;
    const workflow = workflows.open(sealContext(due, due.name, due.revision), blob);
    const start = toWorkflowStart(due, planned.event_id);
    const one = await workflows.plan(database, due, workflow, start);
    return 'run' in one ? { ...planned, run: one.run } : { ...planned, error: one.refusal_reason };
  }

  #evictRetries(now: number): void {
    for (const [key, retry_at] of this.#retry_at) if (retry_at <= now) this.#retry_at.delete(key);
  }
}

const scheduleKey = ({ project_id, name, revision }: DueSchedule): string => `${project_id} ${name} ${revision}`;
const isRejection = (error: unknown): error is ServiceError => isServiceError(error) && error.status < 500;
const isDatabaseFailure = (error: unknown): boolean => isServiceError(error) && error.status >= 500;

/** Locks in the order of the bus: projects by their ids, then the schedules of each. */
async function recordTicks(
  tx: Transaction,
  batch: readonly PlannedTick[],
  { database, bus, creation }: TickerDeps,
): Promise<BatchOutcome<TickResult>[]> {
  const ordered = [...batch].sort((a, b) => compare(scheduleKey(a.due), scheduleKey(b.due)));
  for (const due of new Map(ordered.map((planned) => [planned.due.project_id, planned.due])).values())
    await bus.lock(tx, due);
  const results = new Map<PlannedTick, TickResult>();
  const advanced: PlannedTick[] = [];
  for (const planned of ordered) {
    const decided = await decideTick(tx, planned, database.now());
    results.set(planned, decided.result);
    if (decided.event) advanced.push(decided.event);
  }
  if (advanced.length > 0) await startTicks(tx, advanced, { bus, creation });
  return batch.map((planned) => ({ ok: results.get(planned)! }));
}

/** Advances one schedule, and decides whether its due time starts, waits or is skipped. */
async function decideTick(
  tx: Transaction,
  planned: PlannedTick,
  now: number,
): Promise<{ result: TickResult; event?: PlannedTick }> {
  const { due, tick, event_id } = planned;
  if (tick.skip_reason !== undefined) return skipTick(tx, planned, tick.skip_reason, now);
  if (planned.run && (due.overlap === 'skip' || due.overlap === 'queue')) {
    if (!(await lockDue(tx, due))) return { result: 'gone' };
    const [open] = await listOpen(tx, due, 1);
    if (due.overlap === 'skip' && open) return skipTick(tx, planned, `${open.run_id} had not ended`, now);
    const queued = due.overlap === 'queue' ? await countQueued(tx, due) : 0;
    if (queued >= MAX_QUEUED)
      return skipTick(tx, planned, `${MAX_QUEUED} due times were queued, which is the limit`, now);
    if (due.overlap === 'queue' && (open || queued > 0)) {
      const expires_at = due.deadline_ms === null ? null : due.next_due + due.deadline_ms;
      await addWaiting(tx, due, { due: tick.due, event_id, expires_at, written_at: now });
      const event = { ...planned, run: undefined };
      return (await advanceSchedule(tx, due, toTickRecord(event, now)))
        ? { result: 'ticked', event }
        : { result: 'gone' };
    }
  }
  if (!(await advanceSchedule(tx, due, toTickRecord(planned, now)))) return { result: 'gone' };
  return { result: 'ticked', event: planned };
}

async function skipTick(
  tx: Transaction,
  { due, tick, next }: PlannedTick,
  text: string,
  now: number,
): Promise<{ result: TickResult }> {
  if (!(await skipDue(tx, due, next))) return { result: 'gone' };
  const also = tick.missed && tick.missed.count > 1 ? `${tick.missed.count} due times: ` : '';
  await addSkip(tx, due, { due: tick.due, reason: `${also}${text}`, written_at: now });
  return { result: 'skipped' };
}

async function startTicks(
  tx: Transaction,
  advanced: readonly PlannedTick[],
  { bus, creation }: Pick<TickerDeps, 'bus' | 'creation'>,
): Promise<void> {
  const events = await bus.record(tx, advanced.map(toEvent));
  failpoint('schedules.ticked');
  const new_runs: NewRun[] = [];
  for (const [i, { event_id, duplicate }] of events.entries()) {
    const { due, run, tick } = advanced[i]!;
    if (duplicate) {
      await showRecordedEvent(tx, due, event_id);
      await removeWaiting(tx, due, tick.due);
    } else if (run) {
      new_runs.push(run);
      if (due.overlap !== null) await addOpen(tx, due, { run_id: run.run_id, due: tick.due });
    }
  }
  if (new_runs.length > 0) await creation.createIn(tx, new_runs);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const toTickRecord = ({ tick, next, event_id, run, error }: PlannedTick, ticked_at: number) => ({
  due: tick.due,
  next,
  ticked_at,
  event: event_id,
  run: run?.run_id,
  missed_count: tick.missed?.count,
  error,
});

const toEvent = ({ due, tick, event_id }: PlannedTick): NewEvent =>
  buildTickEvent(due, { event_id, due: tick.due, more: missedPayload(tick) });

function missedPayload({ missed }: Tick): { [member: string]: Json } {
  if (missed === undefined) return {};
  return {
    missed: true,
    missed_count: missed.count,
    ...(missed.has_more ? { missed_more: true } : {}),
    first_due: iso(missed.first_due),
    last_due: iso(missed.last_due),
  };
}
