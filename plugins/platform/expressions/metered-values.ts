import { type CelInput, isCelUint } from '@bufbuild/cel';
import { charge } from './meter.ts';

/*
 * Our own lists and maps charge for every element that an evaluation reads, convert JSON only where it is read, and treat only
 * own properties as fields. The library recognises lists and maps by registered symbols. Its version is pinned, and tests fail
 * if the symbols change.
 */
const LIST = Symbol.for('@bufbuild/cel/list');
const MAP = Symbol.for('@bufbuild/cel/map');

export type CelKey = bigint | string | boolean;
export type Value = CelInput;

export abstract class MeteredList {
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

export abstract class MeteredMap {
  readonly [MAP] = true;
  abstract readonly size: number;
  abstract keys(): IterableIterator<unknown>;
  abstract find(key: CelKey): Value | undefined;

  get(key: unknown): Value | undefined {
    charge(1);
    const normalized = keyOf(key);
    return normalized === undefined ? undefined : this.find(normalized);
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

/** Normalises a key, so that equal numbers of different types are one key. Undefined for a value that cannot be a key. */
export function keyOf(key: unknown): CelKey | undefined {
  if (typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean') return key;
  if (isCelUint(key)) return key.value;
  return typeof key === 'number' && Number.isInteger(key) ? BigInt(key) : undefined;
}
