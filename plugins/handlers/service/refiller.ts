import {
  type Clock,
  type Database,
  eachOf,
  type Log,
  retryUnknownCommit,
  type Sealer,
  WorkLoop,
} from '../../../kernel/contracts/index.ts';
import type { EventBus, ProjectScope } from '../../bus/contract.ts';
import { RecordedWork, type Wakeups } from '../../runs/contract.ts';
import { freeRoom } from '../store/open-runs.ts';
import { firstQueued, queuedProjects } from '../store/queue.ts';
import { askRefill, dueRefills, type Refill, takeRefill } from '../store/refills.ts';
import { fillSlots, type SlotParts } from './slots.ts';

export interface RefillerParts {
  database: Database;
  sealer: Pick<Sealer, 'prepare'>;
  bus(): Pick<EventBus, 'lock'>;
  slots(): SlotParts;
  wakeups: Pick<Wakeups, 'topic' | 'onTopic'>;
  clock: Clock;
  log: Log;
}

/** How often queues beside free places are looked for. */
const STRANDED_MS = 5000;

/**
 * Goes on with the queues of projects where one transaction has not come to their end, or where a run has begun to wait, a
 * bounded part in each transaction. Any server does it.
 *
 * A run that begins to wait does not hold the lock of the project's bus: it may miss a delivery that is being queued because
 * of that very run. So queues beside free places are looked for too.
 */
export class Refiller {
  readonly #parts: RefillerParts;
  readonly #work: RecordedWork<Refill>;
  readonly #stranded: WorkLoop;

  constructor(parts: RefillerParts) {
    const { database, clock, log, wakeups } = parts;
    this.#parts = parts;
    this.#work = new RecordedWork({
      ...{ clock, log, wakeups, topic: 'handlers.refill' },
      says: {
        failing: 'starting queued deliveries failed; retrying',
        recovered: 'queued deliveries are started again',
      },
      due: (after, limit) => dueRefills(database, after, limit),
      carryOut: (one) => this.#refill(one),
    });
    this.#stranded = new WorkLoop({
      ...{ clock, log, poll: { min_ms: STRANDED_MS, max_ms: STRANDED_MS } },
      says: {
        failing: 'looking for queued deliveries beside free places failed; retrying',
        recovered: 'queued deliveries beside free places are looked for again',
      },
      round: () => eachOf(queuedProjects(database), (scope) => this.#ask(scope)),
    });
  }

  start(): () => Promise<void> {
    const stops = [this.#work.start(), this.#stranded.start()];
    return async () => void (await Promise.all(stops.map((stop) => stop())));
  }

  /** After a commit that recorded one. */
  wake(): void {
    this.#work.wake();
  }

  async #ask(scope: ProjectScope): Promise<void> {
    const { database } = this.#parts;
    const room = await freeRoom(database, scope, this.#parts.slots().limits);
    if (room.all === 0 || (await firstQueued(database, scope, 1, room)).length === 0) return;
    await database.transaction((tx) => askRefill(tx, scope, database.now()));
    this.wake();
  }

  async #refill(one: Refill): Promise<void> {
    const { database, sealer, bus, slots } = this.#parts;
    await sealer.prepare(one.org_id);
    await retryUnknownCommit(() =>
      database.transaction(async (tx) => {
        await bus().lock(tx, one);
        if (await takeRefill(tx, one)) await fillSlots(slots(), tx, one);
      }),
    );
  }
}
