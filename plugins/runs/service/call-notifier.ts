import {
  type Clock,
  type Database,
  eachOf,
  isServiceError,
  type Log,
  type Sealer,
  retryUnknownCommit,
} from '../../../kernel/contracts/index.ts';
import {
  RecordedWork,
  type Run,
  type RunEngine,
  type RunObserver,
  type WaitResolver,
  type Wakeups,
} from '../contract.ts';
import { type Call, callsDone, callsEnded, dueCalls } from '../store/calls.ts';
import type { SqlRunStore } from '../store/sql-run-store.ts';
import { callOutcome } from '../verbs/call.ts';

export interface CallNotifierParts {
  database: Database;
  sealer: Pick<Sealer, 'prepare'>;
  store: Pick<SqlRunStore, 'cancelRuns'>;
  resolver: WaitResolver;
  engine: Pick<RunEngine, 'read'>;
  wakeups: Pick<Wakeups, 'topic' | 'onTopic'>;
  clock: Clock;
  log: Log;
}

/** Called runs that are cancelled in one transaction. */
const CANCELLED = 32;
/** Tells other servers that calls are marked. */
const TOPIC = 'runs.calls';

/** Calls of a project whose runs are cancelled together. */
type Batch = readonly [Call, ...Call[]];

/**
 * Ends the waits of calls whose runs are over, and cancels called runs that nobody waits for, level by level: a cancel marks
 * what its runs have called. The transaction that ends either of the two runs must not touch the other one, so it only marks
 * the call. Any server does it for any other.
 */
export class CallNotifier {
  readonly #parts: CallNotifierParts;
  readonly #tells: RecordedWork<Call>;
  readonly #cancels: RecordedWork<Batch>;

  constructor(parts: CallNotifierParts) {
    const { database, clock, log, wakeups } = parts;
    this.#parts = parts;
    this.#tells = new RecordedWork({
      ...{ clock, log, wakeups, topic: TOPIC },
      says: { failing: 'telling the callers of runs failed; retrying', recovered: 'callers of runs are told again' },
      due: (after, limit) => dueCalls(database, 'ended', after, limit),
      carryOut: (call) => this.#tell(call),
    });
    this.#cancels = new RecordedWork({
      ...{ clock, log, wakeups, topic: TOPIC },
      says: { failing: 'cancelling called runs failed; retrying', recovered: 'called runs are cancelled again' },
      // So many calls that fewer batches than asked for are the last ones.
      due: async (after, limit) =>
        batchesOf(await dueCalls(database, 'left', after?.at(-1), limit * CANCELLED)).slice(0, limit),
      carryOut: (batch) => this.#cancelAll(batch),
    });
  }

  start(): () => Promise<void> {
    const stops = [this.#tells.start(), this.#cancels.start()];
    return async () => void (await Promise.all(stops.map((stop) => stop())));
  }

  /** After a commit that marked calls. */
  wake(): void {
    this.#tells.wake();
    this.#cancels.wake();
  }

  async #tell(call: Call): Promise<void> {
    const { database, sealer, resolver } = this.#parts;
    const outcome = callOutcome(await this.#read(call));
    await sealer.prepare(call.org_id);
    await retryUnknownCommit(() =>
      database.transaction(async (tx) => {
        // The kind marks the call as done when its wait ends. Without a wait it is done here.
        if (!(await resolver.resolve(tx, call, outcome))) await callsDone(tx, [call]);
      }),
    );
  }

  async #read(call: Call): Promise<Run> {
    try {
      return await this.#parts.engine.read(call, call.called_id);
    } catch (error) {
      if (!isServiceError(error, 'not_found')) throw error;
      const { called_id: run_id } = call;
      return { run_id, status: 'failed', error: { code: 'not_found', message: 'it does not exist any more' } } as Run;
    }
  }

  async #cancelAll(batch: Batch): Promise<void> {
    try {
      await this.#cancel(batch);
    } catch (error) {
      if (batch.length === 1) throw error;
      // When several fail together, one of them may be to blame.
      const { failure } = await eachOf(batch, (call) => this.#cancel([call]));
      if (failure !== undefined) throw failure;
    }
  }

  async #cancel(batch: Batch): Promise<void> {
    await this.#parts.sealer.prepare(batch[0].org_id);
    const left = batch.map(({ called_id, run_id }) => ({
      run_id: called_id,
      reason: `the run ${run_id}, which called it, no longer waits for it`,
    }));
    await this.#parts.store.cancelRuns(left, (tx) => callsDone(tx, batch));
  }
}

function batchesOf(calls: readonly Call[]): Batch[] {
  const batches: [Call, ...Call[]][] = [];
  for (const call of calls) {
    const last = batches.at(-1);
    if (last?.[0].project_id === call.project_id && last.length < CANCELLED) last.push(call);
    else batches.push([call]);
  }
  return batches;
}

/** Marks the calls whose runs end. */
export const markCalls = (notify: () => void): RunObserver => ({
  name: 'runs.calls',
  async onTransitions(tx, runs) {
    const called = runs.filter(({ type, trigger }) => type !== 'run.started' && trigger.type === 'spawn');
    if (called.length === 0) return;
    const ended = await callsEnded(
      tx,
      called.map(({ run_id }) => run_id),
    );
    if (ended > 0) tx.afterCommit(notify);
  },
});
