/** Of longer texts only the beginning is compared. */
const COMPARED = 64;
/** Maximum number of candidates. */
const MAX_CANDIDATES = 5000;

/** The candidates most similar to a text, the most similar first. */
export function nearest(text: string, candidates: readonly string[], count: number): string[] {
  return candidates
    .slice(0, MAX_CANDIDATES)
    .map((candidate, i) => ({ candidate, i, far: distance(text, candidate) }))
    .sort((a, b) => a.far - b.far || a.i - b.i)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** More differing characters than this share of a text make another word. */
const NEAR = 0.4;

/** What somebody probably meant who wrote this; undefined when nothing is near. */
export function meant(text: string, candidates: readonly string[]): string | undefined {
  const [best] = nearest(text, candidates, 1);
  const near = Math.max(text.length > 1 ? 1 : 0, Math.floor(Math.min(text.length, COMPARED) * NEAR));
  return best !== undefined && distance(text, best) <= near ? best : undefined;
}

/** The number of inserted, deleted or replaced characters between two texts. */
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
