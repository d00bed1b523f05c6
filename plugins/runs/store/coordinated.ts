import { Errors, isServiceError, type ServiceError, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ActivityEnd, Claimed, CoordinatedRun, NewActivity, Trigger, WaitingActivity } from '../contract.ts';
import { readEnds } from './activities.ts';
import { addClaimed } from './add-claimed.ts';
import { cancelOpen } from './cancel-open.ts';
import { wholeEnvelope } from './envelope.ts';
import type { StoreParts } from './parts.ts';
import type { LockedRun } from './run-columns.ts';
import { parseJson } from './run-rows.ts';
import { announce } from './announce.ts';
import { markStarted } from './start-runs.ts';
import type { EndedWait } from './tell-kinds.ts';
import { countCalls } from './untrusted-runs.ts';
import { addWaiting, NO_EXECUTOR } from './waiting.ts';

/** A run for its coordinator, in one transaction that holds the run's row. */
export class Coordinated implements CoordinatedRun {
  readonly run_id: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly subject: string | null;
  readonly generation: number;
  readonly trusted: boolean;
  readonly trigger: Trigger;
  /** Waits that were cancelled here; their kinds are told after the transition. */
  readonly cancelled: EndedWait[] = [];
  readonly #tx: Transaction;
  readonly #store: StoreParts;
  readonly #run: LockedRun;
  /** As it is stored. */
  #envelope: string | undefined;
  #unannounced = false;

  constructor(tx: Transaction, store: StoreParts, run: LockedRun, envelope?: string) {
    this.#tx = tx;
    this.#store = store;
    this.#run = run;
    this.#envelope = envelope;
    this.run_id = run.run_id;
    this.org_id = run.org_id;
    this.project_id = run.project_id;
    this.subject = run.subject;
    this.generation = run.generation;
    this.trusted = run.trusted === 1;
    this.trigger = parseJson(run.trigger_fields) as Trigger;
  }

  async envelope(): Promise<Claimed['envelope']> {
    this.#envelope ??= await this.#readEnvelope();
    const { org_id, project_id, run_id } = this;
    const envelope = parseJson(this.#envelope) as Claimed['envelope'];
    return wholeEnvelope(this.#store, { org_id, project_id, run_id, envelope }, this.#tx);
  }

  async #readEnvelope(): Promise<string> {
    const [row] = await this.#tx.read<{ envelope: string }>('SELECT envelope FROM runs_runs WHERE run_id = ?', [
      this.run_id,
    ]);
    if (!row) throw Errors.notFound(`there is no run ${this.run_id}`);
    return row.envelope;
  }

  async start(): Promise<void> {
    const started = await markStarted(this.#tx, [this.#run], this.#store.database.now());
    this.#unannounced ||= started.length > 0;
  }

  /** Announces the start, if it was not: before anything else that others can see, or together with the end of the run. */
  async announceStart(): Promise<void> {
    if (this.takeStart()) await announce(this.#tx, this.#store, [{ run: this.#run }], this.#store.database.now());
  }

  /** True when the caller has to announce the start. */
  takeStart(): boolean {
    const due = this.#unannounced;
    this.#unannounced = false;
    return due;
  }

  async add(activities: readonly NewActivity[]): Promise<void> {
    await this.announceStart();
    if (await addClaimed(this.#tx, this.#store, this.#run, activities)) await this.start();
    await this.announceStart();
  }

  async wait(activity: WaitingActivity): Promise<ActivityEnd | undefined> {
    if (!activity.queued) await this.start();
    await this.announceStart();
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

  async count(bytes: number): Promise<ServiceError | undefined> {
    return this.trusted ? undefined : countCalls(this.#tx, this.#store.limits, this.run_id, [{ bytes }]);
  }

  async cancel(reason: string, activity_ids?: readonly string[]): Promise<void> {
    await this.announceStart();
    const { run_id } = this;
    this.cancelled.push(...(await cancelOpen(this.#tx, this.#store, { run_id, activity_ids, reason })));
  }

  ends(activity_ids: readonly string[]): Promise<Map<string, ActivityEnd>> {
    return readEnds(this.#tx, this.#store, this, activity_ids);
  }
}
