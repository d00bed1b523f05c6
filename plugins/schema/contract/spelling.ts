import { ExactNumber, rawNumber } from './exact-number.ts';

/** How the JSON of one object or array was written where JSON.stringify would write it otherwise. */
export interface Spelling {
  /** Texts of numbers, such as `1.0`, by the name of the member, in an array by its index. */
  numbers?: Map<string | number, string>;
  /** Names in the order of the text, where whole numbers among them would be sorted. */
  order?: string[];
}

const spellings = new WeakMap<object, Spelling>();

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
  spellings.set(value, spelling);
  Object.setPrototypeOf(value, Array.isArray(value) ? SPELT_ARRAY : SPELT_OBJECT);
}

/** The text of a member of this value where JSON.stringify would write it otherwise by itself. */
export function speltNumber(of: object, name: string | number, member: unknown): string | undefined {
  if (typeof member !== 'number') return undefined;
  const text = spellings.get(of)?.numbers?.get(Array.isArray(of) ? Number(name) : String(name));
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
  const spelling = spellings.get(original);
  if (spelling !== undefined) keepSpelling(copy, spelling);
  return copy;
}

function written(value: object): object {
  const { order, numbers } = spellings.get(value) ?? {};
  const spelt = (name: string | number, member: unknown): unknown => {
    const text = typeof member === 'number' ? numbers?.get(name) : undefined;
    return text !== undefined && Object.is(Number(text), member) ? rawNumber(text) : member;
  };
  if (Array.isArray(value)) return value.map((item, at) => spelt(at, item));
  const members = Object.entries(value).map(([name, member]) => [name, spelt(name, member)] as const);
  const copy = Object.fromEntries(members);
  return order === undefined ? copy : ordered(copy, order);
}

function ordered(copy: object, order: readonly string[]): object {
  const known = order.filter((name) => Object.hasOwn(copy, name));
  const names = [...new Set([...known, ...Object.keys(copy)])];
  return new Proxy(copy, { ownKeys: () => names });
}
