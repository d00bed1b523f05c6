import { suggestName } from '../../../platform/schema/contract.ts';

/** Pairs of characters that the searches of one check may compare together: a fraction of a second. */
const MAX_COMPARED = 3_000_000;
/** Only the beginning of longer texts is compared. */
const COMPARED_LENGTH = 64;

/**
 * What was probably meant in place of a misspelt name. A document may misspell thousands of names among thousands: then
 * only the first ones get a guess.
 */
export class NameSuggester {
  readonly #candidates: () => Iterable<string>;
  readonly #cache = new Map<string, string | undefined>();
  #names: { list: readonly string[]; characters: number } | undefined;
  #remaining = MAX_COMPARED;

  /** `candidates` is called at the first search. */
  constructor(candidates: () => Iterable<string>) {
    this.#candidates = candidates;
  }

  suggest(text: string): string | undefined {
    if (this.#cache.has(text)) return this.#cache.get(text);
    this.#names ??= countCharacters([...this.#candidates()]);
    const { list, characters } = this.#names;
    const cost = Math.min(text.length, COMPARED_LENGTH) * characters;
    if (cost > this.#remaining) return undefined;
    this.#remaining -= cost;
    const guess = suggestName(text, list);
    this.#cache.set(text, guess);
    return guess;
  }
}

function countCharacters(list: readonly string[]) {
  return { list, characters: list.reduce((sum, { length }) => sum + Math.min(length, COMPARED_LENGTH), 0) };
}
