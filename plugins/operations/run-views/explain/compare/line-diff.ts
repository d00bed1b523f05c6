/** A line of two texts: in both, only in the first, or only in the second. */
export interface DiffLine {
  side: 'both' | 'a' | 'b';
  text: string;
}

/** Cells of the table of longest common parts; beyond it all that differs is taken for changed as a whole. */
const MAX_CELLS = 1_000_000;

/** How the second text differs from the first, line by line. */
export function lineDiff(a: string, b: string): DiffLine[] {
  const [left, right] = [toTextLines(a), toTextLines(b)];
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head += 1;
  let tail = 0;
  const most = Math.min(left.length, right.length) - head;
  while (tail < most && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  const both = (lines: readonly string[]) => lines.map((text): DiffLine => ({ side: 'both', text }));
  return [
    ...both(left.slice(0, head)),
    ...diffMiddle(left.slice(head, left.length - tail), right.slice(head, right.length - tail)),
    ...both(left.slice(left.length - tail)),
  ];
}

/** A text without a character has no line, so nothing is shown as an empty line that was removed or added. */
const toTextLines = (text: string): string[] => (text === '' ? [] : text.split('\n'));

function diffMiddle(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > MAX_CELLS) return [...toLines('a', a), ...toLines('b', b)];
  const longest = commonLengths(a, b);
  const width = b.length + 1;
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ side: 'both', text: a[i]! });
      i += 1;
      j += 1;
    } else if (longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!) {
      lines.push({ side: 'a', text: a[i]! });
      i += 1;
    } else {
      lines.push({ side: 'b', text: b[j]! });
      j += 1;
    }
  }
  return [...lines, ...toLines('a', a.slice(i)), ...toLines('b', b.slice(j))];
}

const toLines = (side: 'a' | 'b', lines: readonly string[]): DiffLine[] => lines.map((text) => ({ side, text }));

/** The length of the longest common part of what is left from each place on. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint32Array {
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
  return longest;
}

export interface DiffHunk {
  lines: DiffLine[];
  /** Equal lines that are left out before it. */
  skipped: number;
}

/** Only what differs, with a few equal lines around; `rest` equal lines follow the last one. */
export function toHunks(lines: readonly DiffLine[], around = 3): { hunks: DiffHunk[]; rest: number } {
  const found: DiffHunk[] = [];
  let shown = 0;
  for (const [i, { side }] of lines.entries()) {
    if (side === 'both') continue;
    const from = Math.max(shown, i - around);
    const to = Math.min(lines.length, i + around + 1);
    const last = found.at(-1);
    if (last && from === shown) last.lines.push(...lines.slice(from, to));
    else found.push({ lines: lines.slice(from, to), skipped: from - shown });
    shown = Math.max(shown, to);
  }
  return { hunks: found, rest: lines.length - shown };
}
