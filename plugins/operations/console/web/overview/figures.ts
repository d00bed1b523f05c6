import type { RunRecord, Summary } from '../../../../../cli/generated/api.ts';
import { type ErrorTitle, titleOf } from '../kit/error-title.ts';

type Bucket = Summary['series'][number];

const sum = (buckets: readonly Bucket[], of: (bucket: Bucket) => number): number =>
  buckets.reduce((all, bucket) => all + of(bucket), 0);

export const completed = ({ succeeded, failed, cancelled }: Bucket): number => succeeded + failed + cancelled;

export interface Compared {
  completed: number;
  failed: number;
}

/**
 * What ended in the window before this one, of the same length, by the series of a longer window; undefined where that one
 * does not reach back so far.
 */
export function before(summary: Summary, longer: Summary | undefined): Compared | undefined {
  if (!longer || longer.series.length === 0) return undefined;
  const since = Date.parse(summary.since);
  const from = since - (Date.parse(summary.at) - since);
  if (Date.parse(longer.since) > from) return undefined;
  const within = longer.series.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < since);
  return { completed: sum(within, completed), failed: sum(within, ({ failed }) => failed) };
}

/** `+12%`; undefined where there is nothing to compare with. */
export function changeOf(now: number, then: number | undefined): string | undefined {
  if (then === undefined || then === 0) return undefined;
  const change = Math.round((now / then - 1) * 100);
  return change === 0 ? '±0%' : `${change > 0 ? '+' : '−'}${Math.abs(change)}%`;
}

/** `2.7%`, `12%`. */
export const percent = (share: number): string => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;

/** The value below which this share of the values lies; undefined of none. */
export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

interface Times {
  took: number[];
  queued: number[];
}

/** How long the runs that ended took, and how long those that began lay in the queue; oldest first. */
export function timesOf(runs: readonly RunRecord[]): Times {
  const times: Times = { took: [], queued: [] };
  for (const { created_at, started_at, finished_at } of runs.toReversed()) {
    if (!started_at) continue;
    times.queued.push(Date.parse(started_at) - Date.parse(created_at));
    if (finished_at) times.took.push(Date.parse(finished_at) - Date.parse(started_at));
  }
  return times;
}

/** The series from where something began to happen, at least so many buckets. */
export function trimmed(series: readonly Bucket[], least = 16): readonly Bucket[] {
  const first = series.findIndex((bucket) => completed(bucket) > 0 || bucket.started > 0);
  if (first < 0) return series.slice(-least);
  return series.slice(Math.max(0, Math.min(first - 1, series.length - least)));
}

export interface FailureGroup extends ErrorTitle {
  count: number;
  /** Of the newest one. */
  run: RunRecord;
  /** Failures in each of twelve parts of the window. */
  histogram: number[];
}

const PARTS = 12;

/** Failed runs, newest first, by what went wrong; the most frequent first. */
export function groupsOf(runs: readonly RunRecord[], from: number, to: number): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const run of runs) {
    const error = titleOf(run.error ?? { code: 'failed', message: '' });
    const key = JSON.stringify([error.title.replace(/\d+/g, '#'), error.where]);
    const group = groups.get(key) ?? { ...error, count: 0, run, histogram: Array.from({ length: PARTS }, () => 0) };
    const at = Date.parse(run.finished_at ?? run.created_at);
    const part = Math.floor(((at - from) / Math.max(1, to - from)) * PARTS);
    group.histogram[Math.max(0, Math.min(PARTS - 1, part))]! += 1;
    group.count += 1;
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((a, b) => b.count - a.count);
}
