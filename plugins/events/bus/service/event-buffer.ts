import type { Transaction } from '../../../../kernel/contracts/index.ts';
import type { NewEvent } from '../contract.ts';

/**
 * Buffers events until others of their transaction are recorded: a run often starts, and a run of nodes ends, in the
 * very transaction that creates it. Recording them together takes the project's lock, the head and the reactions only
 * once.
 */
export class EventBuffer {
  readonly #events = new WeakMap<Transaction, NewEvent[]>();

  add(tx: Transaction, events: readonly NewEvent[]): void {
    if (events.length > 0) this.#events.set(tx, [...(this.#events.get(tx) ?? []), ...events]);
  }

  has(tx: Transaction): boolean {
    return this.#events.has(tx);
  }

  /** Removes and returns the buffered events. */
  drain(tx: Transaction): NewEvent[] {
    const events = this.#events.get(tx) ?? [];
    this.#events.delete(tx);
    return events;
  }
}
