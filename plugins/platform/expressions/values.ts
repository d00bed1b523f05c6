import { isCelList, isCelMap, isCelUint } from '@bufbuild/cel';
import { charge } from './meter.ts';
import { type CelKey, keyOf, MeteredList, MeteredMap, type Value } from './metered-values.ts';

/** The cost of creating a list or map, in nodes. */
const CREATION_COST = 8;

/** A list that an expression made. Appending shares items, so building a list step by step costs one item for each step. */
class BuiltList extends MeteredList {
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
export function toMeteredList(list: Iterable<unknown>): Value {
  const items = [...list] as Value[];
  charge(CREATION_COST + items.length);
  return new BuiltList(items) as unknown as Value;
}

/** Evaluates `of[key]`. Throws the library's error for an absent field or element. */
export function elementOf(of: unknown, key: unknown): Value {
  const normalized = keyOf(key);
  if (normalized === undefined) throw new Error('unsupported key type');
  if (!isCelList(of) && !isCelMap(of)) throw new Error('not indexable');
  if (isCelList(of) && typeof normalized !== 'bigint') throw new Error('not an index');
  const element = isCelList(of) ? of.get(Number(normalized)) : of.get(normalized);
  if (element === undefined) throw new Error(isCelList(of) ? 'index out of bounds' : 'field not found: ');
  return element as Value;
}

export function concat(left: unknown, right: Iterable<unknown>): Value {
  const more = [...right] as Value[];
  charge(CREATION_COST + more.length);
  const base = left instanceof BuiltList ? left : new BuiltList([...(left as Iterable<Value>)]);
  return base.append(more) as unknown as Value;
}

class BuiltMap extends MeteredMap {
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
export function toMeteredMap(map: Iterable<readonly [unknown, unknown]>): Value {
  const entries = new Map<CelKey, { key: unknown; value: Value }>();
  charge(CREATION_COST);
  for (const [key, value] of map) {
    const normalized = keyOf(key);
    if (normalized === undefined || entries.has(normalized)) throw new Error('a map has a duplicate key');
    entries.set(normalized, { key, value: value as Value });
  }
  return new BuiltMap(entries) as unknown as Value;
}

export { isCelList, isCelMap, isCelUint };
