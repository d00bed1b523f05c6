import {
  type Database,
  failpoint,
  formatDuration,
  type Ids,
  isServiceError,
  type Log,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { EventBus } from '../../bus/contract.ts';
import type { RunCreation, RunObserver, Wakeups } from '../../../engine/runs/contract.ts';
import type { StoredWorkflows } from '../../workflows/contract.ts';
import { type ScheduleRow, schedules } from '../store/schedules.ts';
import { showStartedRun } from '../store/tick-rows.ts';
import {
  addOpen,
  addSkip,
  dropOpen,
  dropTicks,
  listOpen,
  listReady,
  listWaiting,
  MAX_BACKFILL,
  MAX_QUEUED,
  type ScheduleKey,
  removeWaiting,
  type WaitingTick,
} from '../store/waiting-ticks.ts';
import { CHANGED_TOPIC } from './schedules.ts';
import { buildTickEvent } from './tick-event.ts';
import { sealContext, toWorkflowStart } from './workflow.ts';

export interface WaitingTickDeps {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  log: Log;
  bus: Pick<EventBus, 'lock' | 'record'>;
  creation: Pick<RunCreation, 'createIn'>;
  workflows: StoredWorkflows;
}

/** Schedules that are looked at in one round; each starts at most one due time in it. */
const ROUND = 100;

type Done = 'moved' | 'waits';

/**
 * Starts due times that waited: for the end of earlier runs, or because they belong to a backfill. Each is removed in
 * the transaction that starts or skips it, which locks the schedule, so that several servers start it once.
 */
export class WaitingTicks {
  readonly #deps: WaitingTickDeps;

  constructor(deps: WaitingTickDeps) {
    this.#deps = deps;
  }

  /** Returns the number of due times that no longer wait. Throws when the database fails. */
  async startReady(): Promise<number> {
    const { database, log } = this.#deps;
    let moved = 0;
    for (const key of await listReady(database, database.now(), ROUND)) {
      try {
        if ((await this.#startNext(key)) === 'moved') moved++;
      } catch (error) {
        if (isServiceError(error) && error.status >= 500) throw error;
        log.error({ err: error, schedule: key.name }, 'starting a waiting due time failed; retrying');
      }
    }
    return moved;
  }

  async #startNext(key: ScheduleKey): Promise<Done> {
    const { database, sealer } = this.#deps;
    await sealer.prepare(key.org_id);
    try {
      return await database.transaction((tx) => this.#moveFirst(tx, key, undefined));
    } catch (error) {
      if (!isServiceError(error) || error.status >= 500) throw error;
      // Later due times must not wait for one that can never start.
      return database.transaction((tx) => this.#moveFirst(tx, key, `${error.code}: ${error.message}`));
    }
  }

  /** Starts, or with `rejection` skips, the first due time that can move. */
  async #moveFirst(tx: Transaction, key: ScheduleKey, rejection: string | undefined): Promise<Done> {
    const { bus, database } = this.#deps;
    await bus.lock(tx, key);
    const row = await schedules.lock(tx, key, key.name);
    if (row === undefined) {
      await dropTicks(tx, key);
      return 'waits';
    }
    const [open] = await listOpen(tx, key, 1);
    const now = database.now();
    for (const tick of await listWaiting(tx, key, MAX_BACKFILL + MAX_QUEUED)) {
      const late = tick.expires_at !== null && tick.expires_at < now;
      const blocked = (row.paused === 1 && tick.backfill !== 1) || (tick.overlap !== 'allow' && open !== undefined);
      if (blocked && !late) continue;
      if (!(await removeWaiting(tx, key, tick.due))) continue;
      const reason = late ? lateReason(row, open?.run_id) : rejection;
      if (reason === undefined) await this.#start(tx, row, tick);
      else await skip(tx, row, tick, reason, now);
      failpoint('schedules.waiting');
      return 'moved';
    }
    return 'waits';
  }

  async #start(tx: Transaction, row: ScheduleRow, tick: WaitingTick): Promise<void> {
    const { bus, creation, database, ids, workflows } = this.#deps;
    let { event_id } = tick;
    if (event_id === null) {
      event_id = ids.next('evt');
      const tick_event = buildTickEvent(row, { event_id, due: tick.due, more: { backfill: true } });
      const [recorded] = await bus.record(tx, [tick_event]);
      // It was started at its time, or by an earlier backfill.
      if (recorded!.duplicate) return;
    }
    if (row.workflow === null) return;
    const workflow = workflows.open(sealContext(row, row.name, row.revision), row.workflow);
    const overlap = row.overlap ?? (tick.overlap === 'allow' ? null : 'queue');
    const planned = await workflows.plan(tx, row, workflow, toWorkflowStart({ ...row, overlap }, event_id));
    if ('refusal_reason' in planned) return skip(tx, row, tick, planned.refusal_reason, database.now());
    const { run } = planned;
    await creation.createIn(tx, [run]);
    if (overlap !== null) await addOpen(tx, row, { run_id: run.run_id, due: tick.due });
    await showStartedRun(tx, row, event_id, { run: run.run_id });
    return undefined;
  }
}

const lateReason = ({ deadline_ms }: ScheduleRow, open: string | undefined): string =>
  `it waited${open === undefined ? '' : ` for ${open}`} longer than its deadline of ${formatDuration(deadline_ms ?? 0)}`;

async function skip(tx: Transaction, row: ScheduleRow, tick: WaitingTick, reason: string, now: number): Promise<void> {
  await addSkip(tx, row, { due: tick.due, reason, written_at: now });
  if (tick.event_id !== null) await showStartedRun(tx, row, tick.event_id, { error: reason });
}

/** Forgets runs of schedules with an overlap policy when they end, so that the next due time can start. */
export const openRunObserver = (wakeups: Pick<Wakeups, 'topic'>): RunObserver => ({
  name: 'schedules',
  async onTransitions(tx, runs) {
    const ended = runs.filter(({ type, trigger }) => type !== 'run.started' && isWatched(trigger));
    if (ended.length === 0) return;
    const dropped = await dropOpen(
      tx,
      ended.map(({ run_id }) => run_id),
    );
    if (dropped > 0) tx.afterCommit(() => wakeups.topic(CHANGED_TOPIC));
  },
});

const isWatched = ({ schedule, overlap }: { [field: string]: unknown }): boolean =>
  typeof schedule === 'string' && typeof overlap === 'string';
