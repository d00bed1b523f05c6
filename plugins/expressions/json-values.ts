import { celUint } from '@bufbuild/cel';
import { ExactNumber, numberOf } from '../schema/contract.ts';
import { cannotRead, charge } from './meter.ts';
import { type CelKey, OwnList, OwnMap, type Value } from './own-values.ts';

/** Where JSON stands in the scope. */
interface Where {
  of: Where | undefined;
  name: string | number;
}

const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

/**
 * JSON as CEL sees it: integers of up to 64 bits are ints, or uints beyond these; all other numbers are doubles. `name` is
 * its name in the scope, or in the JSON that stands at `of`.
 */
export function fromJson(value: unknown, name: string | number, of?: Where): Value {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'bigint') return integer(value) ?? unread({ of, name }, WIDE);
  if (typeof value !== 'object' || value === null) return value as Value;
  const where = { of, name };
  if (value instanceof ExactNumber) return fromExact(value, where);
  return (Array.isArray(value)
    ? new JsonList(value, where)
    : new JsonMap(value as Record<string, unknown>, where)) as unknown as Value;
}

const WIDE = 'has more than 64 bits';

/** Undefined beyond 64 bits. */
function integer(value: bigint): Value | undefined {
  if (value >= -MAX_INT - 1n && value <= MAX_INT) return value;
  return value > 0n && value <= MAX_UINT ? celUint(value) : undefined;
}

/** The nearest double of a decimal; of a whole number a double would be another one. */
function fromExact({ text }: ExactNumber, where: Where): Value {
  const value = numberOf(text);
  if (!(value instanceof ExactNumber)) return fromJson(value, where.name, where.of);
  if (!/[.eE]/.test(text)) return unread(where, WIDE);
  const double = Number(text);
  return Number.isFinite(double) ? double : unread(where, 'is larger than every double');
}

/** What stands there has no value here, so that the evaluation has none either. */
function unread(where: Where, why: string): Value {
  cannotRead(() => `${pathOf(where).slice(0, MAX_PATH)}: the number ${why}`);
  return Number.NaN;
}

const MAX_PATH = 200;
const NAME = /^[A-Za-z_]\w*$/;

function pathOf({ of, name }: Where): string {
  if (of === undefined) return String(name);
  const step = typeof name === 'number' ? `[${name}]` : NAME.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  return `${pathOf(of)}${step}`;
}

/** The JSON that a list or map came from, unchanged; undefined for what an expression made. Charged as if it were read. */
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

class JsonList extends OwnList {
  readonly json: readonly unknown[];
  readonly #where: Where;

  constructor(items: readonly unknown[], where: Where) {
    super();
    this.json = items;
    this.#where = where;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): Value {
    return fromJson(this.json[index], index, this.#where);
  }
}

/** From this many members on, listing the names is slow. */
const MANY = 1000;
/** Cached member names of large objects: every matching handler may ask for them. */
const namesOf = new WeakMap<object, readonly string[]>();

class JsonMap extends OwnMap {
  readonly json: Readonly<Record<string, unknown>>;
  readonly #where: Where;

  constructor(fields: Readonly<Record<string, unknown>>, where: Where) {
    super();
    this.json = fields;
    this.#where = where;
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
    return fromJson(this.json[key], key, this.#where);
  }

  override has(key: unknown): boolean {
    charge(1);
    return this.#holds(key);
  }

  #holds(key: unknown): key is string {
    return typeof key === 'string' && Object.hasOwn(this.json, key) && this.json[key] !== undefined;
  }

  #names(): readonly string[] {
    const known = namesOf.get(this.json);
    const names = known ?? Object.keys(this.json);
    if (known === undefined && names.length >= MANY) namesOf.set(this.json, names);
    // Charged also for cached names: a budget must never depend on earlier evaluations.
    charge(names.length / 4);
    return names;
  }
}
