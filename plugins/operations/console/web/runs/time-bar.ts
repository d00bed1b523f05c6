import type { RunRecord } from '../../../../../cli/generated/api.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What the bars of a list may reach back. */
const RANGES: readonly (readonly [name: string, ms: number])[] = [
  ['Last 15 minutes', 15 * MINUTE_MS],
  ['Last hour', HOUR_MS],
  ['Last 2 hours', 2 * HOUR_MS],
  ['Last 6 hours', 6 * HOUR_MS],
  ['Last 24 hours', DAY_MS],
  ['Last 7 days', 7 * DAY_MS],
  ['Last 30 days', 30 * DAY_MS],
];

export interface Range {
  name: string;
  ms: number;
}

/** The shortest range in which most of the runs have begun; those before it are cut at its beginning. */
export function rangeOf(runs: readonly Pick<RunRecord, 'created_at'>[], now: number): Range {
  const ages = runs.map(({ created_at }) => now - Date.parse(created_at)).toSorted((a, b) => a - b);
  const most = ages[Math.floor(ages.length * 0.8)] ?? 0;
  const [name, ms] = RANGES.find(([, one]) => most <= one) ?? RANGES.at(-1)!;
  return { name, ms };
}

interface Piece {
  state: string;
  /** Shares of the range, in per cent. */
  left: number;
  width: number;
}

/** So wide at least, so that a short run is seen. */
const LEAST = 1.6;

/** The time in the queue, and the time since its start, in the hue of its state. */
export function piecesOf(run: RunRecord, now: number, { ms }: Range): Piece[] {
  const share = (at: number) => Math.max(0, Math.min(100, (1 - (now - at) / ms) * 100));
  const created = share(Date.parse(run.created_at));
  const end = share(run.finished_at ? Date.parse(run.finished_at) : now);
  const begun = run.started_at ? share(Date.parse(run.started_at)) : end;
  const pieces = [];
  if (begun - created > LEAST || !run.started_at) pieces.push(piece('queued', created, begun));
  if (run.started_at) pieces.push(piece(run.status, begun, end));
  return pieces;
}

function piece(state: string, from: number, to: number): Piece {
  const width = Math.max(LEAST, to - from);
  return { state, left: Math.min(from, 100 - width), width };
}
