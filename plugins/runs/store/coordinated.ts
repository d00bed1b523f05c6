import { Errors, isServiceError, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ActivityEnd, Claimed, CoordinatedRun, NewActivity, WaitingActivity } from '../contract.ts';
import { addActivities, readEnds } from './activities.ts';
import { cancelOpen } from './cancel-open.ts';
import { wholeEnvelope } from './envelope.ts';
import type { StoreParts } from './parts.ts';
import type { LockedRun } from './run-columns.ts';
import { parseJson } from './run-rows.ts';
import { startRuns } from './start-runs.ts';
import type { EndedWait } from './tell-kinds.ts';
import { addWaiting, NO_EXECUTOR } from './waiting.ts';

/** A run for its coordinator, in one transaction that holds the run's row. */
export class Coordinated implements CoordinatedRun {
  readonly run_id: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly subject: string | null;
  readonly generation: number;
  readonly trusted: boolean;
  /** Waits that were cancelled here; their kinds are told after the transition. */
  readonly cancelled: EndedWait[] = [];
  readonly #tx: Transaction;
  readonly #store: StoreParts;
  readonly #run: LockedRun;

  constructor(tx: Transaction, store: StoreParts, run: LockedRun) {
    this.#tx = tx;
    this.#store = store;
    this.#run = run;
    this.run_id = run.run_id;
    this.org_id = run.org_id;
    this.project_id = run.project_id;
    this.subject = run.subject;
    this.generation = run.generation;
    this.trusted = run.trusted === 1;
  }

  async envelope(): Promise<Claimed['envelope']> {
    const [row] = await this.#tx.read<{ envelope: string }>('SELECT envelope FROM runs_runs WHERE run_id = ?', [
      this.run_id,
    ]);
    if (!row) throw Errors.notFound(`there is no run ${this.run_id}`);
    const { org_id, project_id } = this;
    const envelope = parseJson(row.envelope) as Claimed['envelope'];
    return wholeEnvelope(this.#store, { org_id, project_id, envelope }, this.#tx);
  }

  start(): Promise<void> {
    return startRuns(this.#tx, this.#store, [this.#run], this.#store.database.now());
  }

  add(activities: readonly NewActivity[]): Promise<void> {
    return addActivities(this.#tx, this.#store, this, activities);
  }

  async wait(activity: WaitingActivity): Promise<ActivityEnd | undefined> {
    await this.start();
    try {
      return await addWaiting(this.#tx, this.#store, this.#run, activity);
    } catch (error) {
      if (!isServiceError(error) || error.status >= 500) throw error;
      const { activity_id, name, parent = null } = activity;
      await this.cancel('it cannot wait', [activity_id]);
      const result = { status: 'failed' as const, code: error.code, message: error.message };
      return { activity_id, name, parent, executor: NO_EXECUTOR, result };
    }
  }

  async cancel(reason: string, activity_ids?: readonly string[]): Promise<void> {
    const { run_id } = this;
    this.cancelled.push(...(await cancelOpen(this.#tx, this.#store, { run_id, activity_ids, reason })));
  }

  ends(activity_ids: readonly string[]): Promise<Map<string, ActivityEnd>> {
    return readEnds(this.#tx, this.#store, this, activity_ids);
  }
}
