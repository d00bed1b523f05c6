import type { Json } from '../../../engine/runs/contract.ts';
import { isNumber } from '../../../platform/schema/contract.ts';

const MAX = { levels: 6, members: 32, items: 3, characters: 200 } as const;
/**
 * Total characters of one sample, counting names, texts and punctuation; the depth limit alone would allow millions
 * of members.
 */
const MAX_CHARACTERS = 4096;
const ELLIPSIS = '…';

/** Returns the shape of a payload, small enough for a list. Long texts, long arrays and deep values become `…`. */
export const toSample = (value: Json): Json => new Sampler(truncate).sample(value);

/**
 * Samples a payload whose secrets are not masked yet. A truncated text could begin with a secret that masking would
 * no longer recognise, so long texts are dropped entirely.
 */
export const toUnmaskedSample = (value: Json): Json =>
  new Sampler((text) => (text.length <= MAX.characters ? text : ELLIPSIS)).sample(value);

class Sampler {
  readonly #shorten: (text: string) => string;
  #remaining: number = MAX_CHARACTERS;

  constructor(shorten: (text: string) => string) {
    this.#shorten = shorten;
  }

  sample(value: Json, levels: number = MAX.levels): Json {
    if (this.#remaining <= 0) return ELLIPSIS;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null || isNumber(value)) {
      return this.#number(value);
    }
    this.#remaining -= 2;
    if (levels === 0) return ELLIPSIS;
    return Array.isArray(value) ? this.#items(value, levels) : this.#members(value, levels);
  }

  /** A number may have a million digits. */
  #number<N>(value: N): N | string {
    const { length } = JSON.stringify(value);
    if (length > MAX.characters) return ELLIPSIS;
    this.#remaining -= length;
    return value;
  }

  #text(text: string): string {
    const short = this.#shorten(text);
    this.#remaining -= short.length + 3;
    return short;
  }

  #items(list: readonly Json[], levels: number): Json[] {
    const items = list.slice(0, MAX.items).map((item) => this.sample(item, levels - 1));
    return list.length > MAX.items ? [...items, ELLIPSIS] : items;
  }

  #members(object: { readonly [name: string]: Json }, levels: number): Json {
    // There may be 100,000 members; only those that are shown are read.
    const names = Object.keys(object);
    const entries: [string, Json][] = [];
    for (const name of names.slice(0, MAX.members)) {
      if (this.#remaining <= 0) break;
      entries.push([this.#text(name), this.sample(object[name]!, levels - 1)]);
    }
    return Object.fromEntries(names.length > entries.length ? [...entries, [ELLIPSIS, ELLIPSIS]] : entries);
  }
}

function truncate(text: string): string {
  if (text.length <= MAX.characters) return text;
  const prefix = text.slice(0, MAX.characters);
  return `${prefix.isWellFormed() ? prefix : prefix.slice(0, -1)}${ELLIPSIS}`;
}
