import type { Cancel, Clock } from '../../../kernel/contracts/index.ts';

/** A clock that tests turn by hand. */
export class VirtualClock implements Clock {
  #now: number;
  #timers: { at: number; run: () => void }[] = [];

  constructor(now = 1_000_000) {
    this.#now = now;
  }

  /** Timers that are armed at present. */
  get armed(): number {
    return this.#timers.length;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(delay_ms: number, run: () => void): Cancel {
    const timer = { at: this.#now + Math.max(0, delay_ms), run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((armed) => armed !== timer);
    };
  }

  /** Lets `ms` pass; whatever a timer starts has settled before the next one fires. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#now = end;
    await settle();
  }
}

/** Everything that is already resolved has had its turn. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
