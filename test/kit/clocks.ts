import { systemClock } from '../../kernel/boot/services/clock.ts';
import type { Cancel, Clock } from '../../kernel/contracts/index.ts';

/** Everything that is already resolved has run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A clock that stands still until a test advances it. For parts without a database, which has its own time. */
export class VirtualClock implements Clock {
  #now: number;
  #timers: { at: number; run: () => void }[] = [];

  constructor(now = 1_000_000) {
    this.#now = now;
  }

  /** Number of timers that are armed. */
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

  /** Lets `ms` pass. What a timer starts has settled before the next timer fires. */
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

/** The real clock, which a test can put forward. Timers that are armed keep their real time. */
export class ForwardClock implements Clock {
  #ahead_ms = 0;

  now = (): number => systemClock.now() + this.#ahead_ms;
  monotonic = (): number => systemClock.monotonic() + this.#ahead_ms;
  after = systemClock.after;

  advance(ms: number): void {
    this.#ahead_ms += ms;
  }
}
