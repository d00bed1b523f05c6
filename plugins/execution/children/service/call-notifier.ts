import {
  type Clock,
  type Database,
  eachOf,
  isServiceError,
  type Log,
  retryUnknownCommit,
  type Sealer,
} from '../../../../kernel/contracts/index.ts';
import {
  RecordedWork,
  type Run,
  type RunCancellation,
  type RunEngine,
  type RunObserver,
  type WaitResolver,
  type Wakeups,
} from '../../../engine/runs/contract.ts';
import { callOutcome } from '../domain/call-outcomes.ts';
import { type Call, markDone, markEnded, readDueCalls } from '../store/calls.ts';

export interface CallNotifierDeps {
  database: Database;
  sealer: Pick<Sealer, 'prepare'>;
  cancellation: RunCancellation;
  resolver: WaitResolver;
  engine: Pick<RunEngine, 'read'>;
  wakeups: Pick<Wakeups, 'topic' | 'onTopic'>;
  clock: Clock;
  log: Log;
}

/** Called runs that one transaction cancels. */
const MAX_CANCELLED = 32;
/** Notifies other servers that calls are marked. Servers of earlier versions know this name. */
const TOPIC = 'runs.calls';

/** Calls of one project whose runs are cancelled together. */
type Batch = readonly [Call, ...Call[]];

/**
 * Ends the waits of calls whose runs have ended, and cancels called runs that nobody waits for, level by level: a cancel marks
 * what its runs have called. The transaction that ends either of the two runs must not touch the other one, so it only marks
 * the call. Any server does it for any other.
 */
export class CallNotifier {
  readonly #deps: CallNotifierDeps;
  readonly #notifications: RecordedWork<Call>;
  readonly #cancellations: RecordedWork<Batch>;

  constructor(deps: CallNotifierDeps) {
    const { database, clock, log, wakeups } = deps;
    this.#deps = deps;
    this.#notifications = new RecordedWork({
      ...{ clock, log, wakeups, topic: TOPIC },
      says: {
        failing: 'notifying the callers of runs failed; retrying',
        recovered: 'callers of runs are notified again',
      },
      due: (after, limit) => readDueCalls(database, 'ended', after, limit),
      carryOut: (call) => this.#notifyCaller(call),
    });
    this.#cancellations = new RecordedWork({
      ...{ clock, log, wakeups, topic: TOPIC },
      says: { failing: 'cancelling called runs failed; retrying', recovered: 'called runs are cancelled again' },
      // It reads so many calls that fewer batches than requested are the last ones.
      due: async (after, limit) =>
        toBatches(await readDueCalls(database, 'left', after?.at(-1), limit * MAX_CANCELLED)).slice(0, limit),
      carryOut: (batch) => this.#cancelBatch(batch),
    });
  }

  start(): () => Promise<void> {
    const stops = [this.#notifications.start(), this.#cancellations.start()];
    return async () => void (await Promise.all(stops.map((stop) => stop())));
  }

  /** To be called after a commit that marked calls. */
  wake(): void {
    this.#notifications.wake();
    this.#cancellations.wake();
  }

  async #notifyCaller(call: Call): Promise<void> {
    const { database, sealer, resolver } = this.#deps;
    const outcome = callOutcome(await this.#readCalled(call));
    await sealer.prepare(call.org_id);
    await retryUnknownCommit(() =>
      database.transaction(async (tx) => {
        // The wait kind marks the call as done when its wait ends. Without a wait it is done here.
        if (!(await resolver.resolve(tx, call, outcome))) await markDone(tx, [call]);
      }),
    );
  }

  async #readCalled(call: Call): Promise<Run> {
    try {
      return await this.#deps.engine.read(call, call.called_id);
    } catch (error) {
      if (!isServiceError(error, 'not_found')) throw error;
      const { called_id: run_id } = call;
      return { run_id, status: 'failed', error: { code: 'not_found', message: 'it no longer exists' } } as Run;
    }
  }

  async #cancelBatch(batch: Batch): Promise<void> {
    try {
      await this.#cancel(batch);
    } catch (error) {
      if (batch.length === 1) throw error;
      // When several fail together, a single one may be the reason.
      const { failure } = await eachOf(batch, (call) => this.#cancel([call]));
      if (failure !== undefined) throw failure;
    }
  }

  async #cancel(batch: Batch): Promise<void> {
    await this.#deps.sealer.prepare(batch[0].org_id);
    const abandoned = batch.map(({ called_id, run_id }) => ({
      run_id: called_id,
      reason: `the run ${run_id}, which called it, is no longer waiting for it`,
    }));
    await this.#deps.cancellation.cancelRuns(abandoned, (tx) => markDone(tx, batch));
  }
}

function toBatches(calls: readonly Call[]): Batch[] {
  const batches: [Call, ...Call[]][] = [];
  for (const call of calls) {
    const last = batches.at(-1);
    if (last?.[0].project_id === call.project_id && last.length < MAX_CANCELLED) last.push(call);
    else batches.push([call]);
  }
  return batches;
}

/** Marks the calls whose runs end. */
export const markCalls = (notify: () => void): RunObserver => ({
  name: 'children.calls',
  async onTransitions(tx, runs) {
    const called = runs.filter(({ type, trigger }) => type !== 'run.started' && trigger.type === 'spawn');
    if (called.length === 0) return;
    const ended = await markEnded(
      tx,
      called.map(({ run_id }) => run_id),
    );
    if (ended > 0) tx.afterCommit(notify);
  },
});
