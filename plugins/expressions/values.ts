import { type CelInput, isCelList, isCelMap, isCelUint } from '@bufbuild/cel';
import { charge } from './meter.ts';

/*
 * Our own lists and maps: every element that an evaluation reads is charged, JSON is converted only where it is read,
 * and only own properties are fields. The library recognises its lists and maps by registered symbols. Its version is
 * pinned, and tests fail when the symbols change.
 */
const LIST = Symbol.for('@bufbuild/cel/list');
const MAP = Symbol.for('@bufbuild/cel/map');

/** The cost of a new list or map in nodes. */
const MAKING = 8;

export type CelKey = bigint | string | boolean;
export type Value = CelInput;

/** JSON as CEL sees it: exact integers are ints, all other numbers are doubles. */
export function fromJson(value: unknown): Value {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value as Value;
  return (Array.isArray(value)
    ? new JsonList(value)
    : new JsonMap(value as Record<string, unknown>)) as unknown as Value;
}

abstract class OwnList {
  readonly [LIST] = true;
  abstract readonly size: number;
  abstract at(index: number): Value;

  get(index: number): Value | undefined {
    charge(1);
    return Number.isInteger(index) && index >= 0 && index < this.size ? this.at(index) : undefined;
  }

  *values(): Generator<Value> {
    for (let index = 0; index < this.size; index++) {
      charge(1);
      yield this.at(index);
    }
  }

  [Symbol.iterator](): Generator<Value> {
    return this.values();
  }
}

class JsonList extends OwnList {
  readonly #items: readonly unknown[];

  constructor(items: readonly unknown[]) {
    super();
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): Value {
    return fromJson(this.#items[index]);
  }
}

/** A list made by an expression. Appending shares items, so a list built step by step costs one item for each step. */
class BuiltList extends OwnList {
  readonly #items: Value[];
  readonly size: number;

  constructor(items: Value[]) {
    super();
    this.#items = items;
    this.size = items.length;
  }

  at(index: number): Value {
    return this.#items[index]!;
  }

  append(more: readonly Value[]): BuiltList {
    const shared = this.#items.length === this.size;
    if (!shared) charge(this.size);
    const items = shared ? this.#items : this.#items.slice(0, this.size);
    for (const item of more) items.push(item);
    return new BuiltList(items);
  }
}

/** Converts a list of the library to ours. */
export function ownList(list: Iterable<unknown>): Value {
  const items = [...list] as Value[];
  charge(MAKING + items.length);
  return new BuiltList(items) as unknown as Value;
}

/** `of[key]`. Throws the library's error for an absent field or element. */
export function elementOf(of: unknown, key: unknown): Value {
  const found = keyOf(key);
  if (found === undefined) throw new Error('unsupported key type');
  if (!isCelList(of) && !isCelMap(of)) throw new Error('not indexable');
  if (isCelList(of) && typeof found !== 'bigint') throw new Error('not an index');
  const element = isCelList(of) ? of.get(Number(found)) : of.get(found);
  if (element === undefined) throw new Error(isCelList(of) ? 'index out of bounds' : 'field not found: ');
  return element as Value;
}

export function concat(left: unknown, right: Iterable<unknown>): Value {
  const more = [...right] as Value[];
  charge(MAKING + more.length);
  const base = left instanceof BuiltList ? left : new BuiltList([...(left as Iterable<Value>)]);
  return base.append(more) as unknown as Value;
}

abstract class OwnMap {
  readonly [MAP] = true;
  abstract readonly size: number;
  abstract keys(): IterableIterator<unknown>;
  abstract find(key: CelKey): Value | undefined;

  get(key: unknown): Value | undefined {
    charge(1);
    const found = keyOf(key);
    return found === undefined ? undefined : this.find(found);
  }

  has(key: unknown): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): Generator<[unknown, Value]> {
    for (const key of this.keys()) yield [key, this.get(key)!];
  }

  *values(): Generator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  forEach(each: (value: Value, key: unknown, map: this) => void): void {
    for (const [key, value] of this.entries()) each(value, key, this);
  }

  [Symbol.iterator](): Generator<[unknown, Value]> {
    return this.entries();
  }
}

/** From this many members on, listing the names is slow. */
const MANY = 1000;
/** Cached member names of large objects: every matching handler may ask for them. */
const namesOf = new WeakMap<object, readonly string[]>();

class JsonMap extends OwnMap {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    super();
    this.#fields = fields;
  }

  get size(): number {
    return this.#names().length;
  }

  *keys(): Generator<string> {
    for (const name of this.#names()) {
      charge(1);
      yield name;
    }
  }

  find(key: CelKey): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#fields, key)) return undefined;
    const value = this.#fields[key];
    return value === undefined ? undefined : fromJson(value);
  }

  #names(): readonly string[] {
    const known = namesOf.get(this.#fields);
    const names = known ?? Object.keys(this.#fields);
    if (known === undefined && names.length >= MANY) namesOf.set(this.#fields, names);
    // Charged also for cached names: a budget must never depend on earlier evaluations.
    charge(names.length / 4);
    return names;
  }
}

class BuiltMap extends OwnMap {
  readonly #entries: ReadonlyMap<CelKey, { key: unknown; value: Value }>;

  constructor(entries: ReadonlyMap<CelKey, { key: unknown; value: Value }>) {
    super();
    this.#entries = entries;
  }

  get size(): number {
    return this.#entries.size;
  }

  *keys(): Generator<unknown> {
    for (const { key } of this.#entries.values()) {
      charge(1);
      yield key;
    }
  }

  find(key: CelKey): Value | undefined {
    return this.#entries.get(key)?.value;
  }
}

/** Converts a map of the library to ours. Throws when two keys are equal. */
export function ownMap(map: Iterable<readonly [unknown, unknown]>): Value {
  const entries = new Map<CelKey, { key: unknown; value: Value }>();
  charge(MAKING);
  for (const [key, value] of map) {
    const found = keyOf(key);
    if (found === undefined || entries.has(found)) throw new Error('a map has one key twice');
    entries.set(found, { key, value: value as Value });
  }
  return new BuiltMap(entries) as unknown as Value;
}

/** Equal numbers are one key, whatever their types; undefined for a value that cannot be a key. */
function keyOf(key: unknown): CelKey | undefined {
  if (typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean') return key;
  if (isCelUint(key)) return key.value;
  return typeof key === 'number' && Number.isInteger(key) ? BigInt(key) : undefined;
}

export { isCelList, isCelMap, isCelUint };
