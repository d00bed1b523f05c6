import type { TypeView } from './answers.ts';
import { formatAgo } from './eligible-agents.ts';

/** Longer names are compared by their beginnings: the work grows with the product of both lengths. */
const MAX_COMPARED = 64;

/** Letters to change, add, leave out or swap until one text is the other. */
export function editDistance(one: string, other: string): number {
  const [a, b] = [one.slice(0, MAX_COMPARED), other.slice(0, MAX_COMPARED)];
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same, swapped ? before[j - 2]! + 1 : 99));
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}

/** True for a name that was probably meant: another one, of which a letter in four differs, at most two. */
export function isSimilar(wanted: string, found: string): boolean {
  const allowed = Math.min(2, Math.floor(Math.min(wanted.length, found.length) / 4));
  if (wanted === found || Math.abs(wanted.length - found.length) > allowed) return false;
  return editDistance(wanted.toLowerCase(), found.toLowerCase()) <= allowed;
}

/** `order.paid*` is near to `order.payd.late`: of a pattern with a star only the beginning counts. */
export function isSimilarPattern(pattern: string, type: string): boolean {
  if (!pattern.endsWith('*')) return isSimilar(pattern, type);
  const begin = pattern.slice(0, -1);
  return !type.startsWith(begin) && isSimilar(begin, type.slice(0, begin.length));
}

/** Events of nearly the same type that were recorded: one of the two names is probably a slip. */
export function describeSimilarEvents(
  name: string,
  { types = [], now }: { types?: readonly TypeView[]; now: number },
): string[] {
  const near = types.filter(({ type, last_seen }) => last_seen !== undefined && isSimilar(name, type)).slice(0, 3);
  return near.map(({ type, last_seen }) => `An event of type ${type} was recorded ${formatAgo(last_seen!, now)}.`);
}
