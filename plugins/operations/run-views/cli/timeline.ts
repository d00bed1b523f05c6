/** The beginning and end of a span, epoch ms. */
export interface Span {
  from: number;
  to: number;
  /** The span has not ended. */
  open: boolean;
}

const FULL = '█';
const OPEN = '░';

/** A bar for each span on one common axis of `width` characters. A very short span gets one character. */
export function renderBars(spans: readonly Span[], width: number): string[] {
  const begin = Math.min(...spans.map(({ from }) => from));
  const end = Math.max(...spans.map(({ to }) => to));
  const scale = end > begin ? width / (end - begin) : 0;
  return spans.map(({ from, to, open }) => {
    const first = Math.min(width - 1, Math.floor((from - begin) * scale));
    const last = Math.max(first, Math.min(width - 1, Math.ceil((to - begin) * scale) - 1));
    return `${' '.repeat(first)}${(open ? OPEN : FULL).repeat(last - first + 1)}`;
  });
}
