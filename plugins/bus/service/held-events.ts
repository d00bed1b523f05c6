import type { Transaction } from '../../../kernel/contracts/index.ts';
import type { NewEvent } from '../contract.ts';

/**
 * Events that wait for others of their transaction: a run has often started, and a run of nodes ended, in the transaction
 * that makes it. Recorded together they take the project's lock, its number and its reactions once.
 */
export class HeldEvents {
  readonly #held = new WeakMap<Transaction, NewEvent[]>();

  hold(tx: Transaction, events: readonly NewEvent[]): void {
    if (events.length > 0) this.#held.set(tx, [...(this.#held.get(tx) ?? []), ...events]);
  }

  any(tx: Transaction): boolean {
    return this.#held.has(tx);
  }

  /** They are the caller's from now on. */
  take(tx: Transaction): NewEvent[] {
    const events = this.#held.get(tx) ?? [];
    this.#held.delete(tx);
    return events;
  }
}
