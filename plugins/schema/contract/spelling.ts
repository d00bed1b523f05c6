import { ExactNumber, rawNumber } from './exact-number.ts';

/** How the JSON of one object or array was written where JSON.stringify would write it otherwise. */
export interface Spelling {
  /** Of an object, the texts of numbers such as `1.0` by the names of their members. */
  numbers?: Map<string, string>;
  /** Of an array, the same by index. */
  items?: (string | undefined)[];
  /** Of an array of nothing but numbers, its whole text in place of `items`: it is cut up only when somebody asks. */
  source?: string;
  /** Names in the order of the text, where whole numbers among them would be sorted. */
  order?: string[];
}

/** A constructor that makes nothing: what is derived from it adds its fields to a value that exists. */
class Existing {
  constructor(value: object) {
    // biome-ignore lint/correctness/noConstructorReturn: it is what this class is for
    return value;
  }
}

/** The spelling of a value in a private field of that value: a weak map takes five times as long. */
class Spelt extends Existing {
  #spelling: Spelling | undefined;

  static keep(value: object, spelling: Spelling): void {
    const known = #spelling in value ? (value as Spelt) : new Spelt(value);
    known.#spelling = spelling;
  }

  static of(value: object): Spelling | undefined {
    return #spelling in value ? value.#spelling : undefined;
  }
}

/*
 * Their toJSON stands in the prototype, so that it is no field of the value. It writes a member as it was spelt only
 * while the member has that value: what is changed later is written as it is then.
 */
const toJSON = {
  value(this: object) {
    return written(this);
  },
  configurable: true,
  writable: true,
};
const SPELT_OBJECT = Object.create(Object.prototype, { toJSON });
const SPELT_ARRAY = Object.create(Array.prototype, { toJSON });

/** Makes JSON.stringify write this object or array as it was spelt. */
export function keepSpelling(value: object, spelling: Spelling): void {
  Spelt.keep(value, spelling);
  Object.setPrototypeOf(value, Array.isArray(value) ? SPELT_ARRAY : SPELT_OBJECT);
}

/** The text of a member of this value where JSON.stringify would write it otherwise by itself. */
export function speltNumber(of: object, name: string | number, member: unknown): string | undefined {
  if (typeof member !== 'number') return undefined;
  const spelling = Spelt.of(of);
  const text = Array.isArray(of) ? itemsOf(spelling)?.[Number(name)] : spelling?.numbers?.get(String(name));
  return text !== undefined && Object.is(Number(text), member) ? text : undefined;
}

/** A member that leaves its object: a number with the text that it had there. */
export function takeMember(of: object, name: string): unknown {
  const member: unknown = Object.hasOwn(of, name) ? (of as Record<string, unknown>)[name] : undefined;
  const text = speltNumber(of, name, member);
  return text === undefined ? member : new ExactNumber(text);
}

/** A copy with other members of the same names, as a walk makes one, is spelt as its original. */
export function spellLike<T extends object>(copy: T, original: object): T {
  const spelling = Spelt.of(original);
  if (spelling !== undefined) keepSpelling(copy, spelling);
  return copy;
}

/** The texts of an array's numbers by their index. */
function itemsOf(spelling: Spelling | undefined): Spelling['items'] {
  if (spelling?.source === undefined) return spelling?.items;
  // Whoever reads one may read more.
  spelling.items ??= spelling.source
    .slice(1, -1)
    .split(',')
    .map((text) => text.trim());
  return spelling.items;
}

interface Writing {
  number: number;
  /** What JSON.stringify writes as the text. */
  raw: unknown;
}

/** Texts of so few characters, such as `0.0`, often stand thousands of times in one document; so many of them are known at a time. */
const ALIKE_CHARACTERS = 6;
const MOST_ALIKE = 1000;
const alike = new Map<string, Writing>();

function writingOf(text: string): Writing {
  const known = text.length <= ALIKE_CHARACTERS ? alike.get(text) : undefined;
  if (known !== undefined) return known;
  const number = Number(text);
  const writing = { number, raw: String(number) === text ? number : rawNumber(text) };
  if (text.length <= ALIKE_CHARACTERS) {
    if (alike.size >= MOST_ALIKE) alike.clear();
    alike.set(text, writing);
  }
  return writing;
}

function written(value: object): object {
  const spelling = Spelt.of(value);
  if (!Array.isArray(value)) return writtenObject(value, spelling);
  const items: unknown[] = [];
  // Faster than a spread, which asks the prototype how to walk it.
  for (let at = 0; at < value.length; at += 1) items.push(value[at]);
  if (spelling?.source !== undefined) writeSource(items, spelling.source);
  else
    spelling?.items?.forEach((text, at) => {
      if (text !== undefined && at < items.length) write(items, at, text);
    });
  return items;
}

function writeSource(items: unknown[], source: string): void {
  for (let at = 0, from = 1; at < items.length && from < source.length; at += 1) {
    const comma = source.indexOf(',', from);
    const end = comma < 0 ? source.length - 1 : comma;
    write(items, at, source.slice(from, end).trim());
    from = end + 1;
  }
}

function write(items: unknown[], at: number, text: string): void {
  const { number, raw } = writingOf(text);
  if (Object.is(number, items[at])) items[at] = raw;
}

function writtenObject(value: object, { numbers, order }: Spelling = {}): object {
  const copy: Record<string, unknown> = { ...value };
  for (const [name, text] of numbers ?? []) {
    const { number, raw } = writingOf(text);
    if (Object.hasOwn(copy, name) && Object.is(number, copy[name])) copy[name] = raw;
  }
  return order === undefined ? copy : ordered(copy, order);
}

function ordered(copy: object, order: readonly string[]): object {
  const known = order.filter((name) => Object.hasOwn(copy, name));
  const names = [...new Set([...known, ...Object.keys(copy)])];
  return new Proxy(copy, { ownKeys: () => names });
}
