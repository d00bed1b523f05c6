import type { Entry } from './spans.ts';

/** A part of a run's time, and the part of the width that it has. */
interface Piece {
  from: number;
  to: number;
  start: number;
  end: number;
  /** Nothing but waits: it is drawn much shorter than it is. */
  folded: boolean;
}

/** From times to shares of the width and back. Long gaps in which a run only waits are folded. */
export interface Scale {
  pieces: readonly Piece[];
  from: number;
  to: number;
}

/** A part of the whole width, 0 to 1. */
export interface View {
  start: number;
  end: number;
}

export const WHOLE: View = { start: 0, end: 1 };

/** Shorter gaps are drawn as long as they are. */
const SHORTEST_MS = 5000;
const LEAST_SHARE = 0.16;
const FOLDED = 0.07;
/** The last one, in which the run waits now, is seen as such. */
const FOLDED_NOW = 0.22;
/** All folded gaps together leave so much to what the run did. */
const MOST_FOLDED = 0.5;

export function scaleOf(entries: readonly Entry[], created: number, ended: number, folds = true): Scale {
  const times = entries.flatMap(({ from, to }) => [from, to]);
  const from = Math.min(created, ...times);
  const to = Math.max(ended, from + 1, ...times);
  const gaps = folds ? gapsOf(entries, from, to) : [];
  const cuts = [from, ...gaps.flatMap((gap) => [gap.from, gap.to]), to];
  const isGap = (at: number) => gaps.some((gap) => gap.from === at);
  const shares = gaps.map((gap) => (gap.to === to ? FOLDED_NOW : FOLDED));
  const wanted = shares.reduce((sum, one) => sum + one, 0);
  const shrunk = wanted > MOST_FOLDED ? MOST_FOLDED / wanted : 1;
  const folded_ms = gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  const drawn_ms = Math.max(1, to - from - folded_ms);
  const left = 1 - wanted * shrunk;
  const pieces: Piece[] = [];
  let start = 0;
  for (let n = 0; n + 1 < cuts.length; n++) {
    const [a, b] = [cuts[n]!, cuts[n + 1]!];
    if (a === b) continue;
    const folded = isGap(a);
    const share = folded ? (b === to ? FOLDED_NOW : FOLDED) * shrunk : ((b - a) / drawn_ms) * left;
    pieces.push({ from: a, to: b, start, end: start + share, folded });
    start += share;
  }
  // What is left by rounding, and by a run that did nothing but wait, belongs to the last piece.
  pieces.at(-1)!.end = 1;
  return { pieces, from, to };
}

function gapsOf(entries: readonly Entry[], from: number, to: number): { from: number; to: number }[] {
  const busy = entries
    .flatMap(({ bars }) => bars.filter(({ thin }) => !thin))
    .map((bar) => ({ from: bar.from, to: bar.to }))
    .toSorted((a, b) => a.from - b.from);
  const least = Math.max(SHORTEST_MS, (to - from) * LEAST_SHARE);
  const gaps = [];
  let at = from;
  for (const bar of [...busy, { from: to, to }]) {
    // A run that did nothing yet has nothing to show beside its waiting.
    if (bar.from - at > least && busy.length > 0) gaps.push({ from: at, to: bar.from });
    at = Math.max(at, bar.to);
  }
  return gaps;
}

/** Share of the width, 0 to 1, at which a time lies. */
export function shareOf({ pieces }: Scale, at: number): number {
  const piece = pieces.find(({ to }) => at <= to) ?? pieces.at(-1)!;
  const part = Math.max(0, Math.min(1, (at - piece.from) / (piece.to - piece.from)));
  return piece.start + part * (piece.end - piece.start);
}

export const inView = (share: number, { start, end }: View): number => (share - start) / (end - start);

/** In per cent of the view; undefined when it lies outside. So wide at least that it is seen. */
export function placeOf(
  bar: { from: number; to: number },
  scale: Scale,
  view: View,
): { left: number; width: number } | undefined {
  const [a, b] = [inView(shareOf(scale, bar.from), view), inView(shareOf(scale, bar.to), view)];
  if (b < 0 || a > 1) return undefined;
  const left = Math.max(0, a);
  const width = Math.max(LEAST_WIDTH, Math.min(1, b) - left);
  return { left: Math.min(left, 1 - width) * 100, width: width * 100 };
}

const LEAST_WIDTH = 0.008;
const NARROWEST = 0.005;

/** A view `factor` times as wide, around the same share of it, within the whole. */
export function zoomed({ start, end }: View, factor: number, around = 0.5): View {
  const size = Math.min(1, Math.max(NARROWEST, (end - start) * factor));
  return inside(start + (end - start) * around - size * around, size);
}

/** The same width, moved by a share of it. */
export const moved = ({ start, end }: View, share: number): View => inside(start + (end - start) * share, end - start);

/** Between two places of a brush, in whatever order. */
export function brushed(a: number, b: number): View {
  const [start, end] = [Math.min(a, b), Math.max(a, b)];
  return end - start < NARROWEST ? WHOLE : { start: Math.max(0, start), end: Math.min(1, end) };
}

function inside(start: number, size: number): View {
  const first = Math.max(0, Math.min(start, 1 - size));
  return { start: first, end: first + size };
}

const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 864e5,
];
const MARKS = 7;
/** Beyond it, the text of a mark would cover the "now" at the end of the axis. */
const LAST_MARK = 0.88;

export interface Mark {
  /** In per cent of the view. */
  left: number;
  /** From the beginning of the run. */
  at_ms: number;
  /** How long the gap is that is folded here. */
  gap_ms?: number;
}

/** Times of the axis: round ones where time is drawn as it is, and the length of each folded gap. */
export function marks(scale: Scale, view: View, many = MARKS): Mark[] {
  const found = ticksOf(scale, view, many);
  const gaps = found.filter(({ gap_ms }) => gap_ms !== undefined);
  // A time that stands in the words of a gap cannot be read, and the gap says more.
  const distance = 75 / many;
  return found.filter(
    (mark) => mark.gap_ms !== undefined || gaps.every(({ left }) => Math.abs(left - mark.left) > distance),
  );
}

function ticksOf(scale: Scale, view: View, many: number): Mark[] {
  return scale.pieces.flatMap(({ from, to, start, end, folded }) => {
    const [a, b] = [inView(start, view), inView(end, view)];
    if (b <= 0 || a >= 1) return [];
    if (folded) return [{ left: ((a + b) / 2) * 100, at_ms: from - scale.from, gap_ms: to - from }];
    const width = Math.min(1, b) - Math.max(0, a);
    const shown_ms = ((to - from) * width) / (b - a);
    const most = Math.max(1, Math.floor(many * width));
    const days = Math.ceil(shown_ms / 864e5 / most) * 864e5;
    const step = STEPS_MS.find((one) => shown_ms / one <= most) ?? days;
    const first = Math.ceil((from - scale.from) / step) * step;
    const found: Mark[] = [];
    for (let at_ms = first; at_ms <= to - scale.from; at_ms += step) {
      const place = inView(shareOf(scale, scale.from + at_ms), view);
      if (place >= 0 && place <= LAST_MARK) found.push({ left: place * 100, at_ms });
    }
    return found.slice(0, many * 2);
  });
}
