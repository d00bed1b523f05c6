import { meant } from '../../schema/contract.ts';

/** Pairs of characters that the searches of one check may compare together: a fraction of a second. */
const MAX_COMPARED = 3_000_000;
/** Of longer texts only the beginning is compared. */
const COMPARED = 64;

/**
 * What was probably meant in place of a misspelt name. A document may misspell thousands of names among thousands: then
 * only the first ones get a guess.
 */
export class Guesses {
  readonly #candidates: () => Iterable<string>;
  readonly #known = new Map<string, string | undefined>();
  #names: { list: readonly string[]; characters: number } | undefined;
  #left = MAX_COMPARED;

  /** `candidates`: asked at the first search. */
  constructor(candidates: () => Iterable<string>) {
    this.#candidates = candidates;
  }

  of(text: string): string | undefined {
    if (this.#known.has(text)) return this.#known.get(text);
    this.#names ??= counted([...this.#candidates()]);
    const { list, characters } = this.#names;
    const cost = Math.min(text.length, COMPARED) * characters;
    if (cost > this.#left) return undefined;
    this.#left -= cost;
    const guess = meant(text, list);
    this.#known.set(text, guess);
    return guess;
  }
}

function counted(list: readonly string[]) {
  return { list, characters: list.reduce((sum, { length }) => sum + Math.min(length, COMPARED), 0) };
}
