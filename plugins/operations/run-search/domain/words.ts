/** A longer word is found by its beginning. */
const MAX_WORD = 64;
/** Escapes in JSON would add their letters to words. */
const ESCAPES = /\\(?:u[0-9a-fA-F]{4}|[\s\S])/g;
const WORD = /[\p{L}\p{N}_]+/gu;

/** Returns the first distinct words of a text in lower case: runs of letters, digits and underscores. */
export function wordsOf(text: string, most: number): string[] {
  const words = new Set<string>();
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    words.add(word.slice(0, MAX_WORD));
    if (words.size === most) break;
  }
  return [...words];
}

/** The same for JSON. */
export const wordsOfJson = (json: string, most: number): string[] => wordsOf(json.replaceAll(ESCAPES, ' '), most);

/** Names match as a whole, in upper or lower case. */
export const nameTerm = (name: string): string => name.normalize('NFKC').toLowerCase().trim();
