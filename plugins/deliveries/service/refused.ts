import {
  BoundedMap,
  type Clock,
  type Database,
  type Ids,
  type Log,
  retryUnknownCommit,
  WorkLoop,
} from '../../../kernel/contracts/index.ts';
import type { RefusedDelivery } from '../contract.ts';
import { type DeliveryRow, insertDeliveries, trimRefused } from '../store/deliveries.ts';

export interface RefusedParts {
  database: Database;
  ids: Ids;
  clock: Clock;
  log: Log;
}

/** How long one may wait in memory, so that a flood is few commits. */
const PAUSE_MS = 500;
const IDLE_MS = 60_000;
/** Of all inlets together, between two commits. */
const MAX_HELD = 200;
/** Of one inlet in a minute, at one server. */
const MAX_A_MINUTE = 20;
const MINUTE_MS = 60_000;
const MAX_INLETS = 10_000;

/** Keeps refused deliveries in the background: bounded, whatever strangers send. */
export class RefusedDeliveries {
  readonly #parts: RefusedParts;
  readonly #loop: WorkLoop;
  readonly #taken = new BoundedMap<string, { minute: number; count: number }>(MAX_INLETS);
  #held: DeliveryRow[] = [];

  constructor(parts: RefusedParts) {
    this.#parts = parts;
    this.#loop = new WorkLoop({
      clock: parts.clock,
      log: parts.log,
      poll: { min_ms: IDLE_MS, max_ms: IDLE_MS },
      says: {
        failing: 'listing refused deliveries failed; retrying',
        recovered: 'refused deliveries are listed again',
      },
      round: async () => ({ found: await this.#flush() }),
    });
  }

  /** Those that wait at the end are written before it is over. */
  start(): () => Promise<void> {
    const stop = this.#loop.start();
    return async () => {
      await stop();
      await this.#flush();
    };
  }

  note(refused: RefusedDelivery): void {
    const { database, ids } = this.#parts;
    const at = database.now();
    if (this.#held.length >= MAX_HELD || !this.#takes(refused, Math.floor(at / MINUTE_MS))) return;
    const { org_id, project_id, source, name, sent_id = null, code, reason } = refused;
    this.#held.push({
      ...{ org_id, project_id, source, name, at, sent_id, code, reason },
      delivery_id: ids.next('dlv'),
      outcome: 'refused',
      ...{ event_id: null, event_type: null, old_secret: 0, redelivery_of: null, redelivered_by: null },
    });
    this.#loop.wake(PAUSE_MS);
  }

  #takes({ project_id, source, name }: RefusedDelivery, minute: number): boolean {
    const key = `${project_id} ${source} ${name}`;
    const known = this.#taken.get(key);
    const count = known?.minute === minute ? known.count + 1 : 1;
    this.#taken.set(key, { minute, count });
    return count <= MAX_A_MINUTE;
  }

  /** Puts back what could not be written. */
  async #flush(): Promise<number> {
    const rows = this.#held;
    if (rows.length === 0) return 0;
    this.#held = [];
    try {
      await retryUnknownCommit(() =>
        this.#parts.database.transaction(async (tx) => {
          await insertDeliveries(tx, rows);
          const inlets = new Map(rows.map((row) => [`${row.project_id} ${row.source} ${row.name}`, row]));
          for (const inlet of inlets.values()) await trimRefused(tx, inlet);
        }),
      );
    } catch (error) {
      this.#held = [...rows, ...this.#held].slice(0, MAX_HELD);
      throw error;
    }
    return rows.length;
  }
}
