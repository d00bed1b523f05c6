import { BoundedMap, type Clock } from '../../../../kernel/contracts/index.ts';

const MAX_CACHED = 500;

/**
 * Shares answers among concurrent callers. One answer is computed at a time, and all callers within its age receive it.
 */
export class SharedAnswers<T> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #age_ms: number;
  readonly #cache = new BoundedMap<string, { made: Promise<T>; until: number }>(MAX_CACHED);

  constructor(clock: Pick<Clock, 'monotonic'>, age_ms: number) {
    this.#clock = clock;
    this.#age_ms = age_ms;
  }

  get(key: string, compute: () => Promise<T>): Promise<T> {
    const cached = this.#cache.get(key);
    if (cached && cached.until > this.#clock.monotonic()) return cached.made;
    const entry = { made: compute(), until: Number.POSITIVE_INFINITY };
    this.#cache.set(key, entry);
    entry.made.then(
      () => {
        entry.until = this.#clock.monotonic() + this.#age_ms;
      },
      () => {
        if (this.#cache.get(key) === entry) this.#cache.delete(key);
      },
    );
    return entry.made;
  }
}
