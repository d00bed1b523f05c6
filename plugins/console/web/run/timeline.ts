import type { NodeRecord, StepRecord } from '../../../../cli/generated/api.ts';
import { leasesOf } from './leases.ts';
import { passesOf } from './passes.ts';
import { isNode, type Row, rowOfNode, rowOfStep } from './rows.ts';

export { isNode, type Row } from './rows.ts';

/**
 * Bars of everything that a run did, in the order in which it began. What has not begun has none. `now` is the end of a run
 * that is over.
 */
export function rowsOf(steps: readonly (StepRecord | NodeRecord)[], now: number, over = false): Row[] {
  const calls = steps.flatMap((step) => (isNode(step) ? rowOfNode(step, now) : [rowOfStep(step, now)]));
  return [...passesOf(steps), ...calls, ...leasesOf(steps, now, over)].sort((a, b) => a.from - b.from);
}

export interface Window {
  from: number;
  to: number;
}

/** From the run's acceptance to its end; never empty. */
export function wholeOf(rows: readonly Row[], created: number, ended: number): Window {
  let [from, to] = [created, ended];
  for (const row of rows) {
    from = Math.min(from, row.from);
    to = Math.max(to, row.to);
  }
  return { from, to: Math.max(to, from + 1) };
}

/** Share of the window, 0 to 1, at which a bar begins and how wide it is; undefined when it lies outside. */
export function placeOf(row: Row, { from, to }: Window): { left: number; width: number } | undefined {
  if (row.to < from || row.from > to) return undefined;
  const size = to - from;
  const left = Math.max(0, (row.from - from) / size);
  return { left, width: Math.min(1, (row.to - from) / size) - left };
}

const NARROWEST_MS = 10;

/** A window `factor` times as wide, around the same share of it, within the whole. */
export function zoomed(window: Window, whole: Window, factor: number, around = 0.5): Window {
  const size = Math.min(whole.to - whole.from, Math.max(NARROWEST_MS, (window.to - window.from) * factor));
  return inside(window.from + (window.to - window.from) * around - size * around, size, whole);
}

/** The same width, moved by a share of it. */
export const moved = (window: Window, whole: Window, share: number): Window =>
  inside(window.from + (window.to - window.from) * share, window.to - window.from, whole);

function inside(from: number, size: number, whole: Window): Window {
  const first = Math.max(whole.from, Math.min(from, whole.to - size));
  return { from: first, to: first + size };
}

const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 864e5,
];

/** Times of marks, ms from the beginning of the whole, at most about `most`. */
export function marks(window: Window, whole: Window, most = 8): number[] {
  const size = window.to - window.from;
  const days = Math.ceil(size / 864e5 / most) * 864e5;
  const step = STEPS_MS.find((one) => size / one <= most) ?? days;
  const first = Math.ceil((window.from - whole.from) / step) * step;
  const found: number[] = [];
  for (let at = first; at <= window.to - whole.from; at += step) found.push(at);
  return found;
}
