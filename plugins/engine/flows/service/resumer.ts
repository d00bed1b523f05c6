import {
  BoundedMap,
  type Clock,
  type Database,
  type Log,
  type IterationResult,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import type { CoordinatedRuns } from '../../runs/contract.ts';
import { type PendingFlow, postponeFlow, readPendingFlows } from '../store/flow-row.ts';
import type { FlowCoordinator } from './coordinator.ts';

/** Flows that a round reads of each kind; each flow is its own transaction. */
const AT_ONCE = 20;
/** A round that takes this long ends once each org has had a turn, so that a flow which became pending meanwhile gets its own. */
const ROUND_MS = 100;
/** Pauses of a flow that fails: the first one, doubled with every failure in a row, and the longest. */
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;
/** The number of failing flows whose consecutive failures are counted. */
const MAX_COUNTED = 10_000;

export interface ResumerDeps {
  database: Pick<Database, 'read' | 'write' | 'now' | 'sql'>;
  runs: CoordinatedRuns;
  coordinator: FlowCoordinator;
  clock: Clock;
  log: Log;
}

/**
 * Continues flows whose last transaction left pending steps. The rows record them, so any server can continue after a
 * crash; a wake-up only makes it fast.
 */
export class Resumer {
  readonly #deps: ResumerDeps;
  readonly #loop: WorkLoop;
  /** Consecutive failures by run. Other servers and a restarted process count from zero. */
  readonly #failures = new BoundedMap<string, number>(MAX_COUNTED);

  constructor(deps: ResumerDeps) {
    this.#deps = deps;
    this.#loop = new WorkLoop({
      clock: deps.clock,
      log: deps.log,
      poll: { min_ms: 200, max_ms: 2000 },
      messages: { failing: 'resuming flows failed; retrying', recovered: 'flows are resumed again' },
      iterate: () => this.#resumeDue(),
    });
  }

  wake(): void {
    this.#loop.wake();
  }

  start(): () => Promise<void> {
    return this.#loop.start();
  }

  async #resumeDue(): Promise<IterationResult> {
    const { database, runs, coordinator, clock } = this.#deps;
    const flows = await readPendingFlows(database, database.now(), AT_ONCE);
    const began = clock.monotonic();
    const served = new Set<string>();
    for (const flow of flows) {
      const has_used_its_time = served.has(flow.org_id) && clock.monotonic() - began >= ROUND_MS;
      if (this.#loop.stopped || has_used_its_time) break;
      served.add(flow.org_id);
      try {
        await runs.advance(flow, (tx, run) => coordinator.resume(tx, run));
        this.#failures.delete(flow.run_id);
      } catch (error) {
        await this.#postpone(flow, error);
      }
    }
    return { processed: flows.length, hasMore: flows.length > 0 };
  }

  /** A flow that cannot continue must not block others. Throws when the database cannot put it off: the round fails. */
  async #postpone(flow: PendingFlow, error: unknown): Promise<void> {
    const { database, log } = this.#deps;
    const failures = (this.#failures.get(flow.run_id) ?? 0) + 1;
    this.#failures.set(flow.run_id, failures);
    const pause_ms = Math.min(MIN_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);
    await postponeFlow(database, flow, database.now() + pause_ms);
    log.error({ run_id: flow.run_id, failures, pause_ms, err: error }, 'continuing a flow failed; retrying');
  }
}
