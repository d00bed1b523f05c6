import { celUint } from '@bufbuild/cel';
import { ExactNumber, numberOf } from '../schema/contract.ts';
import { reportUnreadable, charge } from './meter.ts';
import { type CelKey, MeteredList, MeteredMap, type Value } from './metered-values.ts';

/** The path of a JSON value in the scope. */
interface JsonPath {
  parent: JsonPath | undefined;
  name: string | number;
}

const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

/**
 * Converts JSON to CEL values: integers of up to 64 bits become ints, or uints if they are too large for that; all other numbers
 * become doubles. `name` is the name of the value in the scope, or in its parent `of`.
 */
export function fromJson(value: unknown, name: string | number, parent?: JsonPath): Value {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'bigint') return integer(value) ?? unreadableNumber({ parent, name }, WIDE);
  if (typeof value !== 'object' || value === null) return value as Value;
  const path: JsonPath = { parent, name };
  if (value instanceof ExactNumber) return fromExact(value, path);
  return (Array.isArray(value)
    ? new JsonList(value, path)
    : new JsonMap(value as Record<string, unknown>, path)) as unknown as Value;
}

const WIDE = 'has more than 64 bits';

/** Converts an integer; undefined beyond 64 bits. */
function integer(value: bigint): Value | undefined {
  if (value >= -MAX_INT - 1n && value <= MAX_INT) return value;
  return value > 0n && value <= MAX_UINT ? celUint(value) : undefined;
}

/** Converts a decimal to the nearest double. An integer beyond 64 bits has no value, because a double would change it. */
function fromExact({ text }: ExactNumber, path: JsonPath): Value {
  const value = numberOf(text);
  if (!(value instanceof ExactNumber)) return fromJson(value, path.name, path.parent);
  if (!/[.eE]/.test(text)) return unreadableNumber(path, WIDE);
  const double = Number(text);
  return Number.isFinite(double) ? double : unreadableNumber(path, 'is too large for a double');
}

/** Records that a number has no value in CEL, so that the evaluation has no result either. */
function unreadableNumber(path: JsonPath, why: string): Value {
  reportUnreadable(() => `${pathOf(path).slice(0, MAX_PATH)}: the number ${why}`);
  return Number.NaN;
}

const MAX_PATH = 200;
const NAME = /^[A-Za-z_]\w*$/;

function pathOf({ parent: of, name }: JsonPath): string {
  if (of === undefined) return String(name);
  const step = typeof name === 'number' ? `[${name}]` : NAME.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  return `${pathOf(of)}${step}`;
}

/**
 * Returns the JSON that a list or map was made from, unchanged; undefined for one that an expression made. It costs as much as
 * reading it.
 */
export function jsonOf(value: unknown): unknown {
  if (!(value instanceof JsonList || value instanceof JsonMap)) return undefined;
  chargeFor(value.json);
  return value.json;
}

function chargeFor(value: unknown): void {
  charge(1);
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return;
  const members = Object.values(value);
  charge(Array.isArray(value) ? members.length : members.length * 2.25);
  for (const member of members) chargeFor(member);
}

class JsonList extends MeteredList {
  readonly json: readonly unknown[];
  readonly #path: JsonPath;

  constructor(items: readonly unknown[], path: JsonPath) {
    super();
    this.json = items;
    this.#path = path;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): Value {
    return fromJson(this.json[index], index, this.#path);
  }
}

/** The names of objects with at least this many members are cached, because listing them is slow. */
const MANY = 1000;
/** The cached member names of large objects, which every matching handler may need. */
const namesOf = new WeakMap<object, readonly string[]>();

class JsonMap extends MeteredMap {
  readonly json: Readonly<Record<string, unknown>>;
  readonly #path: JsonPath;

  constructor(fields: Readonly<Record<string, unknown>>, path: JsonPath) {
    super();
    this.json = fields;
    this.#path = path;
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
    if (!this.#holds(key)) return undefined;
    return fromJson(this.json[key], key, this.#path);
  }

  override has(key: unknown): boolean {
    charge(1);
    return this.#holds(key);
  }

  #holds(key: unknown): key is string {
    return typeof key === 'string' && Object.hasOwn(this.json, key) && this.json[key] !== undefined;
  }

  #names(): readonly string[] {
    const cached = namesOf.get(this.json);
    const names = cached ?? Object.keys(this.json);
    if (cached === undefined && names.length >= MANY) namesOf.set(this.json, names);
    // Charged also for cached names: a budget must never depend on earlier evaluations.
    charge(names.length / 4);
    return names;
  }
}
