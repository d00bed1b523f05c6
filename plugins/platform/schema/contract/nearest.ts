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

/** A name that differs in more than this share of the characters of a word is a different name. */
const MAX_EDITS_SHARE = 0.4;
/** However long a word is, more edits make another name of it. */
const MAX_EDITS = 2;

/**
 * Returns the names that somebody probably meant who wrote a word, the most similar first: at most `count`, and one if only its letters
 * are transposed, which is the most frequent slip. All suggestions of svc follow this rule.
 */
export function similarNames(word: string, names: readonly string[], count = 1): string[] {
  const beginning = word.slice(0, MAX_COMPARED);
  const by_share = Math.max(beginning.length > 1 ? 1 : 0, Math.floor(beginning.length * MAX_EDITS_SHARE));
  const allowed = Math.min(MAX_EDITS, by_share);
  const similar = [...new Set(names)]
    .slice(0, MAX_CANDIDATES)
    .map((name) => ({ name, edits: distance(beginning, name.slice(0, MAX_COMPARED)) }))
    .filter(({ edits }) => edits <= allowed + 1)
    .map(({ name, edits }) => ({ name, edits, ...letterDistance(beginning, name.slice(0, MAX_COMPARED)) }))
    // Transposed letters are two edits, and with another slip three.
    .filter(({ edits, letters }) => edits <= allowed || (allowed > 0 && letters <= 1))
    .sort(
      (a, b) =>
        Number(b.letters === 0) - Number(a.letters === 0) ||
        a.edits - b.edits ||
        a.letters - b.letters ||
        // A dropped letter is a more frequent slip than a wrong one: `slep` means `sleep`, not `step`.
        a.wrong - b.wrong,
    );
  return similar.slice(0, similar[0]?.letters === 0 ? 1 : count).map(({ name }) => name);
}

/** Guesses which name somebody meant; undefined when none is similar. */
export const suggestName = (word: string, names: readonly string[]): string | undefined => similarNames(word, names)[0];

/**
 * Counts the letters that only one of two words has. `letters` is 0 for transposed letters, and close to the edit distance of other
 * short words. `wrong` counts the letters of the first word that the second lacks.
 */
function letterDistance(a: string, b: string): { letters: number; wrong: number } {
  const unmatched = [...b];
  let wrong = 0;
  for (const letter of a) {
    const at = unmatched.indexOf(letter);
    if (at < 0) wrong++;
    else unmatched.splice(at, 1);
  }
  return { letters: Math.max(wrong, unmatched.length), wrong };
}
