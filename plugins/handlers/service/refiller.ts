import {
  type Clock,
  type Database,
  type Log,
  retryUnknownCommit,
  type Sealer,
} from '../../../kernel/contracts/index.ts';
import type { EventBus } from '../../bus/contract.ts';
import { RecordedWork, type Wakeups } from '../../runs/contract.ts';
import { dueRefills, type Refill, takeRefill } from '../store/refills.ts';
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

/**
 * Goes on with the queues of projects where one transaction has not come to their end, a bounded part in each
 * transaction. Any server does it.
 */
export class Refiller {
  readonly #parts: RefillerParts;
  readonly #work: RecordedWork<Refill>;

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
  }

  start(): () => Promise<void> {
    return this.#work.start();
  }

  /** After a commit that recorded one. */
  wake(): void {
    this.#work.wake();
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
