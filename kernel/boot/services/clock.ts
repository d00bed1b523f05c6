import { performance } from 'node:perf_hooks';
import type { Cancel, Clock } from '../../contracts/index.ts';

/** setTimeout holds at most 2^31-1 ms; a longer delay is slept in parts. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delay_ms, run, options): Cancel {
    let left = Math.max(0, delay_ms);
    let timer: NodeJS.Timeout;
    const arm = () => {
      const piece = Math.min(left, MAX_TIMER_MS);
      left -= piece;
      timer = setTimeout(() => (left > 0 ? arm() : run()), piece);
      if (options?.unref) timer.unref();
    };
    arm();
    return () => clearTimeout(timer);
  },
};
