import type { Cancel, Clock } from '../../../../../kernel/contracts/index.ts';
import { systemClock } from '../../../../../test/kit/index.ts';

const LONG_MS = 5000;

/** The real clock, but what waits for seconds waits until the test lets them pass. */
export class HeldClock implements Clock {
  #ahead_ms = 0;
  #held: { at: number; run: () => void }[] = [];

  now = (): number => systemClock.now() + this.#ahead_ms;
  monotonic = (): number => systemClock.monotonic() + this.#ahead_ms;

  after(delay_ms: number, run: () => void): Cancel {
    if (delay_ms < LONG_MS) return systemClock.after(delay_ms, run);
    const timer = { at: this.monotonic() + delay_ms, run };
    this.#held.push(timer);
    return () => {
      this.#held = this.#held.filter((held) => held !== timer);
    };
  }

  /** True when something waits for that long from now. */
  holds(ms: number): boolean {
    return this.#held.some(({ at }) => at <= this.monotonic() + ms);
  }

  advance(ms: number): void {
    this.#ahead_ms += ms;
    const due = this.#held.filter(({ at }) => at <= this.monotonic());
    this.#held = this.#held.filter((timer) => !due.includes(timer));
    for (const { run } of due) run();
  }
}
