import { ExactNumber, rawNumber } from './exact-number.ts';

/** How the JSON of an object or array was written, where JSON.stringify would write it differently. */
export interface Spelling {
  /** The texts of an object's numbers, such as `1.0`, by the names of their members. */
  numbers?: Map<string, string>;
  /** The texts of an array's numbers by their index. */
  items?: (string | undefined)[];
  /** The whole text of an array of numbers. It replaces `items` until somebody needs a single one. */
  source?: string;
  /** The names in their original order, when integers among them would be sorted. */
  order?: string[];
}

/** A base class whose constructor returns an existing object, so that a derived class adds its private fields to it. */
class Existing {
  constructor(value: object) {
    // biome-ignore lint/correctness/noConstructorReturn: it is what this class is for
    return value;
  }
}

/** Stores the spelling of a value in a private field of that value. A WeakMap would take five times as long. */
class SourceSpelling extends Existing {
  #spelling: Spelling | undefined;

  static attach(value: object, spelling: Spelling): void {
    const stamped = #spelling in value ? (value as SourceSpelling) : new SourceSpelling(value);
    stamped.#spelling = spelling;
  }

  static read(value: object): Spelling | undefined {
    return #spelling in value ? value.#spelling : undefined;
  }
}

/*
 * toJSON is in the prototype, so that it is not a field of the value. It writes a member as it was spelled only while the member
 * still has that value: a member that was changed is written normally.
 */
const toJSON = {
  value(this: object) {
    return toWritable(this);
  },
  configurable: true,
  writable: true,
};
const RESPELLED_OBJECT = Object.create(Object.prototype, { toJSON });
const RESPELLED_ARRAY = Object.create(Array.prototype, { toJSON });

/** Makes JSON.stringify write this object or array as it was spelled. */
export function attachSpelling(value: object, spelling: Spelling): void {
  SourceSpelling.attach(value, spelling);
  Object.setPrototypeOf(value, Array.isArray(value) ? RESPELLED_ARRAY : RESPELLED_OBJECT);
}

/** Returns the text of a member, if JSON.stringify alone would write it differently. */
export function sourceText(of: object, name: string | number, member: unknown): string | undefined {
  if (typeof member !== 'number') return undefined;
  const spelling = SourceSpelling.read(of);
  const text = Array.isArray(of) ? itemsOf(spelling)?.[Number(name)] : spelling?.numbers?.get(String(name));
  return text !== undefined && Object.is(Number(text), member) ? text : undefined;
}

/** Returns a member for use outside of its object. A number keeps the text that it had there. */
export function detachMember(of: object, name: string): unknown {
  const member: unknown = Object.hasOwn(of, name) ? (of as Record<string, unknown>)[name] : undefined;
  const text = sourceText(of, name, member);
  return text === undefined ? member : new ExactNumber(text);
}

/** Gives a copy whose members have the same names the spelling of its original. */
export function copySpelling<T extends object>(copy: T, original: object): T {
  const spelling = SourceSpelling.read(original);
  if (spelling !== undefined) attachSpelling(copy, spelling);
  return copy;
}

/** The texts of an array's numbers by their index. */
function itemsOf(spelling: Spelling | undefined): Spelling['items'] {
  if (spelling?.source === undefined) return spelling?.items;
  // The reader of one item is likely to read more, so the split is kept.
  spelling.items ??= spelling.source
    .slice(1, -1)
    .split(',')
    .map((text) => text.trim());
  return spelling.items;
}

/** Returns the names of an object's members in their original order. */
export function memberNames(value: object): readonly string[] {
  const order = SourceSpelling.read(value)?.order;
  return order === undefined ? Object.keys(value) : orderedNames(value, order);
}

/** The texts of an array's numbers, read one after the other. */
export class SpelledItems {
  readonly #spelling: Spelling;
  #at = 0;
  /** Where the next number begins in the text of the array. */
  #from = 1;

  private constructor(spelling: Spelling) {
    this.#spelling = spelling;
  }

  static of(array: readonly unknown[]): SpelledItems | undefined {
    const spelling = SourceSpelling.read(array);
    return spelling === undefined ? undefined : new SpelledItems(spelling);
  }

  /** Returns the text of the next item, if it still has the value that was spelled. */
  next(item: unknown): string | undefined {
    const text = this.#next();
    return text !== undefined && typeof item === 'number' && Object.is(Number(text), item) ? text : undefined;
  }

  #next(): string | undefined {
    const { source, items } = this.#spelling;
    const at = this.#at++;
    if (source === undefined) return items?.[at];
    if (this.#from >= source.length) return undefined;
    const comma = source.indexOf(',', this.#from);
    const end = comma < 0 ? source.length - 1 : comma;
    const text = source.slice(this.#from, end).trim();
    this.#from = end + 1;
    return text;
  }
}

interface Writing {
  number: number;
  /** What JSON.stringify writes as the text. */
  raw: unknown;
}

/** Short texts such as `0.0` often occur thousands of times in a document, so up to `MAX_CACHED` of them are cached. */
const MAX_CACHED_CHARACTERS = 6;
const MAX_CACHED = 1000;
const cache = new Map<string, Writing>();

function writingOf(text: string): Writing {
  const cached = text.length <= MAX_CACHED_CHARACTERS ? cache.get(text) : undefined;
  if (cached !== undefined) return cached;
  const number = Number(text);
  const writing = { number, raw: String(number) === text ? number : rawNumber(text) };
  if (text.length <= MAX_CACHED_CHARACTERS) {
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(text, writing);
  }
  return writing;
}

function toWritable(value: object): object {
  const spelling = SourceSpelling.read(value);
  if (!Array.isArray(value)) return writableObject(value, spelling);
  const items: unknown[] = [];
  // A loop is faster than a spread, which looks up the iterator in the prototype.
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

function writableObject(value: object, { numbers, order }: Spelling = {}): object {
  const copy: Record<string, unknown> = { ...value };
  for (const [name, text] of numbers ?? []) {
    const { number, raw } = writingOf(text);
    if (Object.hasOwn(copy, name) && Object.is(number, copy[name])) copy[name] = raw;
  }
  return order === undefined ? copy : withOrder(copy, order);
}

function withOrder(copy: object, order: readonly string[]): object {
  const names = orderedNames(copy, order);
  return new Proxy(copy, { ownKeys: () => names });
}

function orderedNames(value: object, order: readonly string[]): string[] {
  const existing = order.filter((name) => Object.hasOwn(value, name));
  return [...new Set([...existing, ...Object.keys(value)])];
}
