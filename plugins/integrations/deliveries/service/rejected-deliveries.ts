import {
  BoundedMap,
  type Clock,
  type Database,
  type Ids,
  type Log,
  retryUnknownCommit,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import type { RejectedDelivery } from '../contract.ts';
import { type DeliveryRow, insertDeliveries, trimRejected } from '../store/deliveries.ts';

export interface RejectedDeliveriesDeps {
  database: Database;
  ids: Ids;
  clock: Clock;
  log: Log;
}

/** How long a rejection may wait in memory, so that a flood takes few commits. */
const PAUSE_MS = 500;
const IDLE_MS = 60_000;
/** The limit for all inlets together between two commits. */
const MAX_BUFFERED = 200;
/** The limit for one inlet in a minute, on one server. */
const MAX_PER_MINUTE = 20;
const MINUTE_MS = 60_000;
const MAX_INLETS = 10_000;

/** Lists rejected deliveries in the background, within fixed bounds that no sender can exceed. */
export class RejectedDeliveries {
  readonly #deps: RejectedDeliveriesDeps;
  readonly #loop: WorkLoop;
  readonly #counters = new BoundedMap<string, { minute: number; count: number }>(MAX_INLETS);
  #buffered: DeliveryRow[] = [];

  constructor(deps: RejectedDeliveriesDeps) {
    this.#deps = deps;
    this.#loop = new WorkLoop({
      clock: deps.clock,
      log: deps.log,
      poll: { min_ms: IDLE_MS, max_ms: IDLE_MS },
      messages: {
        failing: 'storing rejected deliveries failed; retrying',
        recovered: 'rejected deliveries are stored again',
      },
      iterate: async () => ({ processed: await this.#flush() }),
    });
  }

  /** Starts the loop. The returned function writes what is still buffered before it resolves. */
  start(): () => Promise<void> {
    const stop = this.#loop.start();
    return async () => {
      await stop();
      await this.#flush();
    };
  }

  record(delivery: RejectedDelivery): void {
    const { database, ids } = this.#deps;
    const at = database.now();
    if (this.#buffered.length >= MAX_BUFFERED || !this.#isWithinRate(delivery, Math.floor(at / MINUTE_MS))) return;
    const { org_id, project_id, source, name, sent_id = null, code, reason } = delivery;
    this.#buffered.push({
      org_id,
      project_id,
      source,
      name,
      at,
      sent_id,
      code,
      reason,
      delivery_id: ids.next('dlv'),
      outcome: 'refused',
      event_id: null,
      event_type: null,
      old_secret: 0,
      redelivery_of: null,
      redelivered_by: null,
    });
    this.#loop.wake(PAUSE_MS);
  }

  #isWithinRate({ project_id, source, name }: RejectedDelivery, minute: number): boolean {
    const key = `${project_id} ${source} ${name}`;
    const counter = this.#counters.get(key);
    const count = counter?.minute === minute ? counter.count + 1 : 1;
    this.#counters.set(key, { minute, count });
    return count <= MAX_PER_MINUTE;
  }

  /** Puts back what could not be written. */
  async #flush(): Promise<number> {
    const rows = this.#buffered;
    if (rows.length === 0) return 0;
    this.#buffered = [];
    try {
      await retryUnknownCommit(() =>
        this.#deps.database.transaction(async (tx) => {
          await insertDeliveries(tx, rows);
          const inlets = new Map(rows.map((row) => [`${row.project_id} ${row.source} ${row.name}`, row]));
          for (const inlet of inlets.values()) await trimRejected(tx, inlet);
        }),
      );
    } catch (error) {
      this.#buffered = [...rows, ...this.#buffered].slice(0, MAX_BUFFERED);
      throw error;
    }
    return rows.length;
  }
}
