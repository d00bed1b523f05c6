import { setTimeout as delay } from 'node:timers/promises';

/** Looks of the first kind only yield to the event loop: most conditions come true without real time. */
const MAX_QUICK_LOOKS = 50;
/** Then it pauses, longer and longer: a look is a request or a statement, which takes processor time from what is waited for. */
const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 40;
const PAUSE_GROWTH = 1.2;

type Truthy<T> = Exclude<T, false | undefined | null | 0 | ''>;

/** Asks until the answer is truthy, and resolves with it. Rejects when it is not within `within_ms`. */
export async function until<T>(
  condition: () => T | Promise<T>,
  { within_ms = 240_000, what = 'the condition' }: { within_ms?: number; what?: string } = {},
): Promise<Truthy<T>> {
  const end = performance.now() + within_ms;
  let pause_ms = MIN_PAUSE_MS;
  for (let looks = 0; ; looks++) {
    const answer = await condition();
    if (answer) return answer as Truthy<T>;
    if (performance.now() > end) throw new Error(`${what} did not hold within ${within_ms} ms`);
    if (looks < MAX_QUICK_LOOKS) await new Promise((resolve) => setImmediate(resolve));
    else {
      await delay(pause_ms);
      pause_ms = Math.min(pause_ms * PAUSE_GROWTH, MAX_PAUSE_MS);
    }
  }
}
