import type { Cancel, Clock } from '../../../../kernel/contracts/index.ts';

/** A deadline is noticed up to this much later: those that are close together share a wake-up. */
const GRAIN_MS = 10;

/** Deadlines of many, by one timer, which is armed for the earliest while there are any. */
export class Deadlines<T> {
  readonly #clock: Clock;
  readonly #due: (items: T[]) => void;
  readonly #slots = new Map<number, Set<T>>();
  /** The numbers of the slots, the last first; those of emptied slots stay until their time. */
  #order: number[] = [];
  #timer: { slot: number; cancel: Cancel } | undefined;

  /** `due` must not throw. */
  constructor(clock: Clock, due: (items: T[]) => void) {
    this.#clock = clock;
    this.#due = due;
  }

  /** Answers what takes the deadline back. */
  add(item: T, after_ms: number): Cancel {
    const slot = Math.ceil((this.#clock.monotonic() + after_ms) / GRAIN_MS);
    const items = this.#slots.get(slot) ?? new Set<T>();
    if (items.size === 0) this.#open(slot, items);
    items.add(item);
    return () => {
      if (items.delete(item) && items.size === 0) this.#close(slot);
    };
  }

  #open(slot: number, items: Set<T>): void {
    this.#slots.set(slot, items);
    const at = this.#placeOf(slot);
    if (this.#order[at] !== slot) this.#order.splice(at, 0, slot);
    if (this.#timer === undefined || slot < this.#timer.slot) this.#arm();
  }

  #close(slot: number): void {
    this.#slots.delete(slot);
    if (this.#slots.size > 0) return;
    this.#order = [];
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Where a slot is, or belongs, in the descending order. */
  #placeOf(slot: number): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#order[middle]! > slot) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    while (this.#order.length > 0 && !this.#slots.has(this.#order.at(-1)!)) this.#order.pop();
    const slot = this.#order.at(-1);
    if (slot === undefined) return;
    const cancel = this.#clock.after(Math.max(0, slot * GRAIN_MS - this.#clock.monotonic()), () => this.#fire());
    this.#timer = { slot, cancel };
  }

  #fire(): void {
    const now = this.#clock.monotonic();
    const due: T[] = [];
    while (this.#order.length > 0 && this.#order.at(-1)! * GRAIN_MS <= now) {
      const slot = this.#order.pop()!;
      due.push(...(this.#slots.get(slot) ?? []));
      this.#slots.delete(slot);
    }
    this.#arm();
    this.#due(due);
  }
}
