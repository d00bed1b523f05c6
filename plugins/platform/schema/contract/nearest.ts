import { distance } from 'fastest-levenshtein';

/** Only this many characters of a text are compared. */
const MAX_COMPARED = 64;
/** The maximum number of candidates. */
const MAX_CANDIDATES = 5000;

/** Returns the candidates that are most similar to a text, the most similar first. */
export function nearest(text: string, candidates: readonly string[], count: number): string[] {
  const beginning = text.slice(0, MAX_COMPARED);
  return candidates
    .slice(0, MAX_CANDIDATES)
    .map((candidate, i) => ({ candidate, i, far: distance(beginning, candidate.slice(0, MAX_COMPARED)) }))
    .sort((a, b) => a.far - b.far || a.i - b.i)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** A word that differs in more than this share of its characters is a different word. */
const MAX_DISTANCE_SHARE = 0.4;

/** Guesses which candidate somebody meant; undefined when none is similar enough. */
export function suggestName(text: string, candidates: readonly string[]): string | undefined {
  const [best] = nearest(text, candidates, 1);
  const max_distance = Math.max(
    text.length > 1 ? 1 : 0,
    Math.floor(Math.min(text.length, MAX_COMPARED) * MAX_DISTANCE_SHARE),
  );
  return best !== undefined && distance(text.slice(0, MAX_COMPARED), best.slice(0, MAX_COMPARED)) <= max_distance
    ? best
    : undefined;
}

/**
 * Counts the letters that only one of two words has. It is 0 for transposed letters, the most frequent slip, and close to the
 * edit distance of other short words.
 */
export function letterDistance(a: string, b: string): number {
  const unmatched = [...b];
  let extra = 0;
  for (const letter of a) {
    const at = unmatched.indexOf(letter);
    if (at < 0) extra++;
    else unmatched.splice(at, 1);
  }
  return Math.max(extra, unmatched.length);
}
