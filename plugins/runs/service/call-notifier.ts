import {
  type Clock,
  type Database,
  isServiceError,
  type Log,
  type Sealer,
  retryUnknownCommit,
} from '../../../kernel/contracts/index.ts';
import {
  cancelUnlessOver,
  RecordedWork,
  type Run,
  type RunEngine,
  type RunObserver,
  type RunStore,
  type WaitResolver,
  type Wakeups,
} from '../contract.ts';
import { type Call, callDone, callsEnded, type DueCall, dueCalls } from '../store/calls.ts';
import { callOutcome } from '../verbs/call.ts';

export interface CallNotifierParts {
  database: Database;
  sealer: Pick<Sealer, 'prepare'>;
  store: Pick<RunStore, 'cancelRun'>;
  resolver: WaitResolver;
  engine: Pick<RunEngine, 'read'>;
  wakeups: Pick<Wakeups, 'topic' | 'onTopic'>;
  clock: Clock;
  log: Log;
}

/**
 * Ends the waits of calls whose runs are over, and cancels called runs that nobody waits for. The transaction that ends
 * either of the two runs must not touch the other one, so it only marks the call. Any server does it for any other.
 */
export class CallNotifier {
  readonly #parts: CallNotifierParts;
  readonly #work: RecordedWork<DueCall>;

  constructor(parts: CallNotifierParts) {
    const { database, clock, log, wakeups } = parts;
    this.#parts = parts;
    this.#work = new RecordedWork({
      ...{ clock, log, wakeups, topic: 'runs.calls' },
      says: { failing: 'telling the callers of runs failed; retrying', recovered: 'callers of runs are told again' },
      due: (after, limit) => dueCalls(database, after, limit),
      carryOut: (call) => (call.state === 'ended' ? this.#tell(call) : this.#cancel(call)),
    });
  }

  start(): () => Promise<void> {
    return this.#work.start();
  }

  /** After a commit that marked calls. */
  wake(): void {
    this.#work.wake();
  }

  async #tell(call: Call): Promise<void> {
    const { database, sealer, resolver } = this.#parts;
    const outcome = callOutcome(await this.#read(call));
    await sealer.prepare(call.org_id);
    await retryUnknownCommit(() =>
      database.transaction(async (tx) => {
        // The kind marks the call as done when its wait ends. Without a wait it is done here.
        if (!(await resolver.resolve(tx, call, outcome))) await callDone(tx, call);
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

  async #cancel(call: Call): Promise<void> {
    const { org_id, project_id, called_id } = call;
    const reason = `the run ${call.run_id}, which called it, no longer waits for it`;
    await cancelUnlessOver(this.#parts.store, { org_id, project_id, run_id: called_id, reason });
    await callDone(this.#parts.database, call);
  }
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
