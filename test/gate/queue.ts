import { performance } from 'node:perf_hooks';

/** One that has run: when it began and how long it took, in seconds from the start of the queue. */
export interface Ran<T> {
  one: T;
  began: number;
  seconds: number;
}

export interface Emptied<T> {
  ran: Ran<T>[];
  /** Seconds of workers that had nothing to do any more while others worked. */
  idle: number;
}

/** Runs all, the longest first, so many at once: a core is idle only when nothing is left to begin. */
export async function emptyQueue<T>(
  all: readonly T[],
  { workers, seconds, run }: { workers: number; seconds: (one: T) => number; run: (one: T) => Promise<void> },
): Promise<Emptied<T>> {
  const start = performance.now();
  const now = () => (performance.now() - start) / 1000;
  const queue = [...all].sort((a, b) => seconds(b) - seconds(a));
  const ran: Ran<T>[] = [];
  const ended: number[] = [];
  const work = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      const began = now();
      await run(one);
      ran.push({ one, began, seconds: now() - began });
    }
    ended.push(now());
  };
  await Promise.all(Array.from({ length: Math.min(workers, all.length) }, work));
  const last = Math.max(0, ...ended);
  return { ran, idle: ended.reduce((sum, at) => sum + last - at, 0) };
}

const SLOWEST = 10;

/** The slowest, and what the rest waited for. */
export function tellTimings<T>({ ran, idle }: Emptied<T>, nameOf: (one: T) => string): string {
  const minutes = (seconds: number) =>
    `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
  const slowest = [...ran].sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  const last = ran.toSorted((a, b) => b.began + b.seconds - (a.began + a.seconds))[0];
  const lines = slowest.map(
    ({ one, began, seconds }) =>
      `  ${seconds.toFixed(1).padStart(7)} s  from ${minutes(began).padStart(6)}  ${nameOf(one)}`,
  );
  const waited = last === undefined ? [] : [`  workers waited ${idle.toFixed(0)} s for the last: ${nameOf(last.one)}`];
  return [`timings: the ${slowest.length} slowest of ${ran.length} parts`, ...lines, ...waited].join('\n');
}
