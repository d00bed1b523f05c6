import { BoundedMap, type Database } from '../../../../kernel/contracts/index.ts';
import type { EventLog } from '../../../events/bus/contract.ts';
import { bucketStarts, type Window } from './windows.ts';

export const TYPES = ['run.started', 'run.succeeded', 'run.failed', 'run.cancelled'] as const;
export type Counts = Record<(typeof TYPES)[number], number>;

export interface Bucket {
  at: number;
  counts: Counts;
}

/** An event recorded just before the boundary of a bucket may become visible shortly after it. */
const LATE_EVENT_MS = 10_000;
const MAX_CACHED = 1000;

export interface SeriesDeps {
  database: Pick<Database, 'now'>;
  log: Pick<EventLog, 'last' | 'numberAt' | 'count'>;
}

/** The events of a bucket: those with a number of `from` and more and less than `to`. */
interface CountedBucket {
  from: number;
  to: number;
  counts: Counts;
}

/**
 * Counts starts and ends of runs over time from the log of events, so that no run is read and nothing is written.
 * Counts are cached, and a further read counts only newer events.
 */
export class Series {
  readonly #deps: SeriesDeps;
  readonly #cache = new BoundedMap<string, Map<number, CountedBucket>>(MAX_CACHED);

  constructor(deps: SeriesDeps) {
    this.#deps = deps;
  }

  async read(project_id: string, window: Window): Promise<Bucket[]> {
    const { database, log } = this.#deps;
    const now = database.now();
    const key = `${project_id} ${window}`;
    const before = this.#cache.get(key) ?? new Map<number, CountedBucket>();
    const starts = bucketStarts(window, now);
    const end = (await log.last(project_id)) + 1;
    const froms = await this.#readNumbers(project_id, starts, before, end, now - LATE_EVENT_MS);
    const counted = new Map<number, CountedBucket>();
    for (const [n, at] of starts.entries())
      counted.set(at, await this.#countBucket(project_id, froms[n]!, froms[n + 1] ?? end, before.get(at)));
    this.#cache.set(key, counted);
    return [...counted].map(([at, { counts }]) => ({ at, counts }));
  }

  /** Returns the number of the first event of each bucket. */
  async #readNumbers(
    project_id: string,
    starts: readonly number[],
    before: ReadonlyMap<number, CountedBucket>,
    end: number,
    settled_at: number,
  ): Promise<number[]> {
    const numbers: number[] = [];
    const cached_numbers = starts.map((at) => (at <= settled_at ? before.get(at)?.from : undefined));
    for (const [n, at] of starts.entries()) {
      const high = cached_numbers.slice(n).find((number) => number !== undefined) ?? end;
      const bounds = { low: numbers.at(-1) ?? 1, high };
      numbers.push(cached_numbers[n] ?? (await this.#deps.log.numberAt(project_id, at, bounds)));
    }
    return numbers;
  }

  async #countBucket(
    project_id: string,
    from: number,
    to: number,
    before: CountedBucket | undefined,
  ): Promise<CountedBucket> {
    const same = before !== undefined && before.from === from && before.to <= to;
    const counts: Counts = same ? { ...before.counts } : { ...NONE };
    const since = same ? before.to : from;
    if (since < to)
      for (const [type, n] of await this.#deps.log.count(project_id, TYPES, since, to))
        counts[type as keyof Counts] += n;
    return { from, to, counts };
  }
}

const NONE: Counts = Object.freeze({ 'run.started': 0, 'run.succeeded': 0, 'run.failed': 0, 'run.cancelled': 0 });

/** The length of a window up to now, in minutes. */
export const windowMinutes = (window: Window, now: number): number => (now - bucketStarts(window, now)[0]!) / 60_000;
