import {
  type Clock,
  type Database,
  eachOf,
  type Log,
  retryUnknownCommit,
  type Sealer,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import type { EventBus, ProjectScope } from '../../bus/contract.ts';
import { RecordedWork, type Wakeups } from '../../../engine/runs/contract.ts';
import { readCapacity } from '../store/open-runs.ts';
import { listFirstQueued, iterateQueuedProjects } from '../store/queue.ts';
import { insertRefill, listRefills, type Refill, claimRefill } from '../store/refills.ts';
import { fillSlots, type SlotDeps } from './slots.ts';

export interface RefillerDeps {
  database: Database;
  sealer: Pick<Sealer, 'prepare'>;
  bus(): Pick<EventBus, 'lock'>;
  slots(): SlotDeps;
  wakeups: Pick<Wakeups, 'topic' | 'onTopic'>;
  clock: Clock;
  log: Log;
}

/** How often queues next to free slots are searched for. */
const SEARCH_INTERVAL_MS = 5000;

/**
 * Continues with the queues of projects where one transaction could not reach the end, or where a run began to wait.
 * Each transaction handles a bounded number of deliveries, and any server may do it. A run that begins to wait does
 * not hold the lock of the project's bus, so it may miss a delivery that is queued at that moment because of that
 * very run. Queues next to free slots are therefore searched for as well.
 */
export class Refiller {
  readonly #deps: RefillerDeps;
  readonly #refills: RecordedWork<Refill>;
  readonly #search: WorkLoop;

  constructor(deps: RefillerDeps) {
    const { database, clock, log, wakeups } = deps;
    this.#deps = deps;
    this.#refills = new RecordedWork({
      clock,
      log,
      wakeups,
      topic: 'handlers.refill',
      says: {
        failing: 'starting queued deliveries failed; retrying',
        recovered: 'queued deliveries are started again',
      },
      due: (after, limit) => listRefills(database, after, limit),
      carryOut: (refill) => this.#refill(refill),
    });
    this.#search = new WorkLoop({
      clock,
      log,
      poll: { min_ms: SEARCH_INTERVAL_MS, max_ms: SEARCH_INTERVAL_MS },
      messages: {
        failing: 'looking for queued deliveries with free slots failed; retrying',
        recovered: 'looking for queued deliveries works again',
      },
      iterate: () => eachOf(iterateQueuedProjects(database), (scope) => this.#requestRefill(scope)),
    });
  }

  start(): () => Promise<void> {
    const stops = [this.#refills.start(), this.#search.start()];
    return async () => void (await Promise.all(stops.map((stop) => stop())));
  }

  /** Called after a commit that recorded a refill. */
  wake(): void {
    this.#refills.wake();
  }

  async #requestRefill(scope: ProjectScope): Promise<void> {
    const { database } = this.#deps;
    const capacity = await readCapacity(database, scope, this.#deps.slots().limits);
    if (capacity.all === 0 || (await listFirstQueued(database, scope, 1, capacity)).length === 0) return;
    await database.transaction((tx) => insertRefill(tx, scope, database.now()));
    this.wake();
  }

  async #refill(refill: Refill): Promise<void> {
    const { database, sealer, bus, slots } = this.#deps;
    await sealer.prepare(refill.org_id);
    await retryUnknownCommit(() =>
      database.transaction(async (tx) => {
        await bus().lock(tx, refill);
        if (await claimRefill(tx, refill)) await fillSlots(slots(), tx, refill);
      }),
    );
  }
}
