import type { Clock, Rate } from '../contracts/index.ts';

/** Callers that one meter remembers; beyond it the one that was quiet for longest is forgotten. */
const SIZE = 20_000;

/**
 * A token bucket for every key, kept as one number: the time at which the bucket is full again. Holds `count` and
 * refills evenly over `per_ms`.
 */
export class Meter {
  readonly #full_at = new Map<string, number>();
  readonly #per_ms: number;
  readonly #interval_ms: number;
  readonly #clock: Clock;

  constructor({ count, per_ms }: Rate, clock: Clock) {
    this.#per_ms = per_ms;
    this.#interval_ms = per_ms / count;
    this.#clock = clock;
  }

  get size(): number {
    return this.#full_at.size;
  }

  /** Takes one; or takes nothing and answers the milliseconds until there is one. */
  take(key: string): number {
    const wait = this.wait(key);
    if (wait === 0) this.charge(key);
    return wait;
  }

  /** Milliseconds until there is one to take; 0 when there is. */
  wait(key: string): number {
    const now = this.#clock.monotonic();
    const owed = (this.#full_at.get(key) ?? now) - now + this.#interval_ms - this.#per_ms;
    // Sums of fractions come out a hair above what they should be.
    return owed > 1e-6 ? owed : 0;
  }

  /** Takes one in any case: what is owed is waited for later. */
  charge(key: string): void {
    const now = this.#clock.monotonic();
    const full_at = Math.max(this.#full_at.get(key) ?? now, now) + this.#interval_ms;
    this.#full_at.delete(key);
    this.#full_at.set(key, full_at);
    if (this.#full_at.size > SIZE) this.#full_at.delete(this.#full_at.keys().next().value!);
  }
}
