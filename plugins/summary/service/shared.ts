import { BoundedMap, type Clock } from '../../../kernel/contracts/index.ts';

const MAX_KEPT = 500;

/** Answers that many ask for: one is made at a time, and all who ask within its age share it. */
export class Shared<T> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #age_ms: number;
  readonly #kept = new BoundedMap<string, { made: Promise<T>; until: number }>(MAX_KEPT);

  constructor(clock: Pick<Clock, 'monotonic'>, age_ms: number) {
    this.#clock = clock;
    this.#age_ms = age_ms;
  }

  get(key: string, make: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key);
    if (kept && kept.until > this.#clock.monotonic()) return kept.made;
    const entry = { made: make(), until: Number.POSITIVE_INFINITY };
    this.#kept.set(key, entry);
    entry.made.then(
      () => {
        entry.until = this.#clock.monotonic() + this.#age_ms;
      },
      () => {
        if (this.#kept.get(key) === entry) this.#kept.delete(key);
      },
    );
    return entry.made;
  }
}
