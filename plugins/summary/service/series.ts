import { BoundedMap, type Database } from '../../../kernel/contracts/index.ts';
import type { EventLog } from '../../bus/contract.ts';
import { beginnings, type Window } from './windows.ts';

export const TYPES = ['run.started', 'run.succeeded', 'run.failed', 'run.cancelled'] as const;
export type Counts = Record<(typeof TYPES)[number], number>;

export interface Bucket {
  at: number;
  counts: Counts;
}

/** What was recorded just before the turn of a bucket may be seen just after it. */
const SETTLED_MS = 10_000;
const MAX_KEPT = 1000;

export interface SeriesParts {
  database: Pick<Database, 'now'>;
  log: Pick<EventLog, 'last' | 'numberAt' | 'count'>;
}

/** The events of a bucket: those with a number of `from` and more and less than `to`. */
interface Kept {
  from: number;
  to: number;
  counts: Counts;
}

/**
 * Starts and ends of runs by time. The log of events says both, so that no run is read and nothing is written for it. What
 * was counted once is kept in memory: a further look counts only what came since.
 */
export class Series {
  readonly #parts: SeriesParts;
  readonly #kept = new BoundedMap<string, Map<number, Kept>>(MAX_KEPT);

  constructor(parts: SeriesParts) {
    this.#parts = parts;
  }

  async read(project_id: string, window: Window): Promise<Bucket[]> {
    const { database, log } = this.#parts;
    const now = database.now();
    const key = `${project_id} ${window}`;
    const before = this.#kept.get(key) ?? new Map<number, Kept>();
    const starts = beginnings(window, now);
    const end = (await log.last(project_id)) + 1;
    const froms = await this.#numbers(project_id, starts, before, end, now - SETTLED_MS);
    const kept = new Map<number, Kept>();
    for (const [n, at] of starts.entries())
      kept.set(at, await this.#count(project_id, froms[n]!, froms[n + 1] ?? end, before.get(at)));
    this.#kept.set(key, kept);
    return [...kept].map(([at, { counts }]) => ({ at, counts }));
  }

  /** The number of the first event of each bucket. */
  async #numbers(
    project_id: string,
    starts: readonly number[],
    before: ReadonlyMap<number, Kept>,
    end: number,
    settled: number,
  ): Promise<number[]> {
    const numbers: number[] = [];
    const known = starts.map((at) => (at <= settled ? before.get(at)?.from : undefined));
    for (const [n, at] of starts.entries()) {
      const high = known.slice(n).find((number) => number !== undefined) ?? end;
      const bounds = { low: numbers.at(-1) ?? 1, high };
      numbers.push(known[n] ?? (await this.#parts.log.numberAt(project_id, at, bounds)));
    }
    return numbers;
  }

  async #count(project_id: string, from: number, to: number, before: Kept | undefined): Promise<Kept> {
    const same = before !== undefined && before.from === from && before.to <= to;
    const counts: Counts = same ? { ...before.counts } : { ...NONE };
    const since = same ? before.to : from;
    if (since < to)
      for (const [type, n] of await this.#parts.log.count(project_id, TYPES, since, to))
        counts[type as keyof Counts] += n;
    return { from, to, counts };
  }
}

const NONE: Counts = Object.freeze({ 'run.started': 0, 'run.succeeded': 0, 'run.failed': 0, 'run.cancelled': 0 });

/** The length of a window up to now, in minutes. */
export const minutesOf = (window: Window, now: number): number => (now - beginnings(window, now)[0]!) / 60_000;
