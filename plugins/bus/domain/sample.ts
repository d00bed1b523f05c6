import type { Json } from '../../runs/contract.ts';
import { isNumber } from '../../schema/contract.ts';

const MAX = { levels: 6, members: 32, items: 3, characters: 200 } as const;
/** Characters of names, texts and punctuation in one sample: the levels alone would allow millions of members. */
const MAX_CHARACTERS = 4096;
const CUT = '…';

/** The shape of a payload, small enough for a list: long texts, long arrays and deep parts are replaced by `…`. */
export const sampleOf = (value: Json): Json => new Sampler(cut).of(value);

/**
 * The sample of a payload whose secrets are not masked yet. The beginning of a long text may be the beginning of a secret, which
 * nobody would recognise later, so that nothing of the text is kept.
 */
export const unmaskedSampleOf = (value: Json): Json =>
  new Sampler((text) => (text.length <= MAX.characters ? text : CUT)).of(value);

class Sampler {
  readonly #shorten: (text: string) => string;
  #left: number = MAX_CHARACTERS;

  constructor(shorten: (text: string) => string) {
    this.#shorten = shorten;
  }

  of(value: Json, levels: number = MAX.levels): Json {
    if (this.#left <= 0) return CUT;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null || isNumber(value)) {
      return this.#number(value);
    }
    this.#left -= 2;
    if (levels === 0) return CUT;
    return Array.isArray(value) ? this.#items(value, levels) : this.#members(value, levels);
  }

  /** A number may have a million digits. */
  #number<N>(value: N): N | string {
    const { length } = JSON.stringify(value);
    if (length > MAX.characters) return CUT;
    this.#left -= length;
    return value;
  }

  #text(text: string): string {
    const short = this.#shorten(text);
    this.#left -= short.length + 3;
    return short;
  }

  #items(list: readonly Json[], levels: number): Json[] {
    const items = list.slice(0, MAX.items).map((item) => this.of(item, levels - 1));
    return list.length > MAX.items ? [...items, CUT] : items;
  }

  #members(object: { readonly [name: string]: Json }, levels: number): Json {
    // There may be 100,000 members: only the shown ones are read.
    const names = Object.keys(object);
    const kept: [string, Json][] = [];
    for (const name of names.slice(0, MAX.members)) {
      if (this.#left <= 0) break;
      kept.push([this.#text(name), this.of(object[name]!, levels - 1)]);
    }
    return Object.fromEntries(names.length > kept.length ? [...kept, [CUT, CUT]] : kept);
  }
}

function cut(text: string): string {
  if (text.length <= MAX.characters) return text;
  const kept = text.slice(0, MAX.characters);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}${CUT}`;
}
