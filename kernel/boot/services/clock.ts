import { performance } from 'node:perf_hooks';
import type { Cancel, Clock } from '../../contracts/index.ts';

/** setTimeout takes at most 2^31-1 ms. A longer delay is split into several timers. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delay_ms, run, options): Cancel {
    let remaining_ms = Math.max(0, delay_ms);
    let timer: NodeJS.Timeout;
    const arm = () => {
      const delay = Math.min(remaining_ms, MAX_TIMER_MS);
      remaining_ms -= delay;
      timer = setTimeout(() => (remaining_ms > 0 ? arm() : run()), delay);
      if (options?.unref) timer.unref();
    };
    arm();
    return () => clearTimeout(timer);
  },
};
