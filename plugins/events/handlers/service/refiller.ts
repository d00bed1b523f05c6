import {
  type Clock,
  type Database,
  eachOf,
  type IterationResult,
  type Log,
  MAX_ROWS_PER_STATEMENT,
  retryUnknownCommit,
  type Sealer,
  type Transaction,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import type { EventBus, ProjectScope } from '../../bus/contract.ts';
import { RecordedWork, type Wakeups } from '../../../engine/runs/contract.ts';
import { readCapacity } from '../store/open-runs.ts';
import { listAdmissible } from '../store/admissions.ts';
import { listDueProjects, readNextDue, removeExpiredPasses } from '../store/gates.ts';
import { listFirstQueued, iterateQueuedProjects } from '../store/queue.ts';
import { insertRefill, listRefills, type Refill, claimRefill } from '../store/refills.ts';
import { admitAndFill, passAndFill, type SlotDeps } from './slots.ts';

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
/** How often servers look for gates that others have opened. */
const GATES_INTERVAL_MS = 1000;
/** Projects whose gates one iteration looks at. */
const DUE_PAGE = 64;

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
  readonly #gates: WorkLoop;

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
    this.#gates = new WorkLoop({
      clock,
      log,
      poll: { min_ms: GATES_INTERVAL_MS, max_ms: GATES_INTERVAL_MS },
      messages: {
        failing: 'starting deliveries that waited for a time failed; retrying',
        recovered: 'deliveries that waited for a time are started again',
      },
      iterate: () => this.#passDue(),
    });
  }

  start(): () => Promise<void> {
    const stops = [this.#refills.start(), this.#search.start(), this.#gates.start()];
    return async () => void (await Promise.all(stops.map((stop) => stop())));
  }

  /** Called after a commit that recorded a refill. */
  wake(): void {
    this.#refills.wake();
  }

  /** Called after a commit that lets deliveries wait for a time. */
  wakeGates(): void {
    this.#gates.wake();
  }

  /** Any server may let deliveries pass: under the lock of the project's bus, it looks again at what is due. */
  async #passDue(): Promise<IterationResult> {
    const { database } = this.#deps;
    const due = await listDueProjects(database, database.now(), DUE_PAGE);
    const { processed, failure } = await eachOf(due, (scope) =>
      this.#locked(scope, (tx) => passAndFill(this.#deps.slots(), tx, scope)),
    );
    const removed = await removeExpiredPasses(database, database.now(), MAX_ROWS_PER_STATEMENT);
    const next = await readNextDue(database);
    return {
      processed,
      failure,
      hasMore: due.length === DUE_PAGE || removed === MAX_ROWS_PER_STATEMENT,
      ...(next !== undefined && {
        due_ms: Math.max(0, next - database.now()),
        next: { at: next, description: 'a handler' },
      }),
    };
  }

  async #requestRefill(scope: ProjectScope): Promise<void> {
    const { database } = this.#deps;
    const capacity = await readCapacity(database, scope, this.#deps.slots().limits);
    if (capacity.all === 0) return;
    const startable = (await listFirstQueued(database, scope, 1, capacity)).length > 0;
    if (!startable && (await listAdmissible(database, scope, capacity, 1)).length === 0) return;
    await database.transaction((tx) => insertRefill(tx, scope, database.now()));
    this.wake();
  }

  async #refill(refill: Refill): Promise<void> {
    await this.#locked(refill, async (tx) => {
      if (await claimRefill(tx, refill)) await admitAndFill(this.#deps.slots(), tx, refill);
    });
  }

  async #locked(scope: ProjectScope, work: (tx: Transaction) => Promise<void>): Promise<void> {
    const { database, sealer, bus } = this.#deps;
    await sealer.prepare(scope.org_id);
    await retryUnknownCommit(() =>
      database.transaction(async (tx) => {
        await bus().lock(tx, scope);
        await work(tx);
      }),
    );
  }
}
