/** Longer texts are compared by their beginnings. */
const COMPARED = 64;
/** More candidates than anybody would read through. */
const MOST = 5000;

/** The candidates most like a text, the likest first. */
export function nearest(text: string, candidates: readonly string[], count: number): string[] {
  return candidates
    .slice(0, MOST)
    .map((candidate, i) => ({ candidate, i, far: distance(text, candidate) }))
    .sort((a, b) => a.far - b.far || a.i - b.i)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** How many characters must be put in, left out or changed to come from one to the other. */
function distance(a: string, b: string): number {
  const [left, right] = [[...a.slice(0, COMPARED)], [...b.slice(0, COMPARED)]];
  let row = right.map((_, i) => i + 1);
  for (const [i, character] of left.entries()) {
    const next: number[] = [];
    for (const [j, other] of right.entries()) {
      const diagonal = j === 0 ? i : row[j - 1]!;
      const before = j === 0 ? i + 1 : next[j - 1]!;
      next.push(Math.min(diagonal + (character === other ? 0 : 1), before + 1, row[j]! + 1));
    }
    row = next;
  }
  return row.at(-1) ?? left.length;
}
