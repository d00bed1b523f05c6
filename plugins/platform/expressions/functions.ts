import {
  type CelEnv,
  celEnv,
  celFunc,
  celMethod,
  CelScalar,
  type CelType,
  type CelValue,
  isCelError,
  listType,
  mapType,
} from '@bufbuild/cel';
import { charge } from './meter.ts';
import { concat, elementOf, toMeteredList, toMeteredMap } from './values.ts';

/** Functions that the instrumentation inserts. No source expression can name them. */
export const TICK = '@tick';
export const METERED_LIST = '@list';
export const METERED_MAP = '@map';
export const INDEX = '@index';

const { BOOL, DOUBLE, DYN, INT, STRING, UINT } = CelScalar;
const LIST = listType(DYN);
const MAP = mapType(DYN, DYN);

/** The longest text that is parsed as a number or a time. Parsing a huge text would take long. */
const MAX_LITERAL_LENGTH = 128;
const MAX_PATTERN_LENGTH = 2048;

type Function = ReturnType<typeof celFunc>;
type Implementation = (target: CelValue | undefined, args: CelValue[]) => CelValue;

function define(like: Pick<Function, 'name' | 'target' | 'arguments' | 'result'>, run: Implementation): Function {
  if (like.target === undefined)
    return celFunc(like.name, like.arguments as CelType[], like.result, (...args) => run(undefined, args) as never);
  return celMethod(like.name, like.target, like.arguments as CelType[], like.result, function (...args) {
    return run(this as CelValue, args) as never;
  });
}

/** Counts the characters that a call reads: all of its texts and bytes. */
const lengthOf = (values: readonly (CelValue | undefined)[]): number =>
  values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0),
    0,
  );

/** A search may compare a long needle at every position of the text. */
function searchCost(text: string, needle: string): number {
  return (text.length + needle.length) / 64 + (needle.length > 256 ? (text.length * needle.length) / 4096 : 0);
}

/** The automaton of a pattern grows with its length and its counted repetitions. */
function patternCost(text: string, pattern: string): number {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new Error(`a pattern can have at most ${MAX_PATTERN_LENGTH} characters`);
  const counted = pattern.match(/\d+/g) ?? [];
  const size = counted.reduce((sum, count) => sum + Math.min(Number(count), 1000), pattern.length);
  return 200 + size * 8 + text.length * (2 + size / 16);
}

/** Returns the cost of a call of the standard library, in addition to that of its node. */
function costOf({ name, target, arguments: args }: Function, values: readonly CelValue[]): number {
  const [first, second] = values;
  if (name === 'matches') return patternCost(first as string, second as string);
  if (name === 'contains') return searchCost(first as string, second as string);
  if (name === '_+_' || name === 'bytes' || name === 'string') return 1 + lengthOf(values) / 16;
  if (name === 'size') return 1 + lengthOf(values) / 32;
  /* Every call looks up its time zone by name. */
  if (target !== undefined && args.length === 1 && name.startsWith('get')) return 1000;
  return 1 + lengthOf(values) / 64;
}

function withCharge(original: Function): Function {
  return define(original, (target, args) => {
    charge(costOf(original, target === undefined ? args : [target, ...args]));
    const result = original.call(0, target, args);
    /* Throwing it again gives the error the id of this call. */
    if (isCelError(result)) throw new Error(result.message);
    return result as CelValue;
  });
}

function literal(text: string, kind: string, form: RegExp): string {
  if (text.length <= MAX_LITERAL_LENGTH && form.test(text)) return text;
  throw new Error(`the text is not a valid ${kind}`);
}

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^([+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?|nan)$/i;

function toDouble(text: string): number {
  const normalized = literal(text, 'double', NUMBER).toLowerCase();
  if (normalized.endsWith('nan')) return Number.NaN;
  if (normalized.includes('inf')) return normalized.startsWith('-') ? -Infinity : Infinity;
  return Number(normalized);
}

function inRange(value: bigint, min: bigint, max: bigint, kind: string): bigint {
  if (value >= min && value <= max) return value;
  throw new Error(`the number is outside the range of ${kind}`);
}

/** Counts Unicode characters without building an array. */
function sizeOfText(text: string): bigint {
  let size = 0;
  for (const _ of text) size++;
  charge(text.length / 16);
  return BigInt(size);
}

const std = celEnv().funcs;
const standard = [...std];
const unsigned = standard.find(({ name, arguments: [type] }) => name === 'uint' && type === INT)!;

/** Conversions of texts that the library would accept although CEL does not, or would take too long to process. */
const conversions = [
  celFunc('int', [STRING], INT, (text) =>
    inRange(BigInt(literal(text, 'int', INTEGER)), -(2n ** 63n), 2n ** 63n - 1n, 'int'),
  ),
  celFunc(
    'uint',
    [STRING],
    UINT,
    (text) => unsigned.call(0, undefined, [BigInt(literal(text, 'uint', INTEGER))]) as never,
  ),
  celFunc('double', [STRING], DOUBLE, toDouble),
];

/** JSON has a single number type, so integers and doubles may be mixed anywhere. Both then become doubles. */
const mixed_arithmetic = (
  [
    ['_+_', (left: number, right: number) => left + right],
    ['_-_', (left: number, right: number) => left - right],
    ['_*_', (left: number, right: number) => left * right],
    ['_/_', (left: number, right: number) => left / right],
  ] as const
).flatMap(([name, run]) => [
  celFunc(name, [INT, DOUBLE], DOUBLE, (left, right) => run(Number(left), right)),
  celFunc(name, [DOUBLE, INT], DOUBLE, (left, right) => run(left, Number(right))),
  celFunc(name, [UINT, DOUBLE], DOUBLE, (left, right) => run(Number(left.value), right)),
  celFunc(name, [DOUBLE, UINT], DOUBLE, (left, right) => run(left, Number(right.value))),
]);

const metered_functions = [
  celFunc('size', [STRING], INT, sizeOfText),
  celMethod('size', STRING, [], INT, function () {
    return sizeOfText(this);
  }),
  celFunc('_+_', [LIST, LIST], LIST, (left, right) => concat(left, right) as never),
  celFunc('@in', [DYN, MAP], BOOL, (key, map) => map.has(key as never)),
  celFunc(TICK, [DYN, INT], DYN, (value, units) => {
    charge(Number(units));
    return value;
  }),
  celFunc(INDEX, [DYN, DYN], DYN, (of, key) => elementOf(of, key) as never),
  celFunc(METERED_LIST, [LIST], LIST, (list) => toMeteredList(list) as never),
  celFunc(METERED_MAP, [MAP], MAP, (map) => toMeteredMap(map) as never),
];

/** The environment of every expression: standard CEL, metered. */
export const environment: CelEnv = celEnv({
  funcs: [...standard.map(withCharge), ...conversions, ...mixed_arithmetic, ...metered_functions],
});

const matches = standard.find(({ name }) => name === 'matches')!;

/** Tells whether a text is a valid pattern for `matches`. */
export const isPattern = (pattern: string): boolean =>
  pattern.length <= MAX_PATTERN_LENGTH && !isCelError(matches.call(0, '', [pattern]));

/** How a function may be called. */
export type CallForm = 'global' | 'method';

/** The functions that an expression may name, by name. */
export const NAMED: ReadonlyMap<string, ReadonlySet<CallForm>> = (() => {
  const named = new Map<string, Set<CallForm>>();
  for (const { name, target } of standard)
    if (/^[A-Za-z]/.test(name))
      named.set(name, (named.get(name) ?? new Set()).add(target === undefined ? 'global' : 'method'));
  return named;
})();

/** Every name that the parser gives to operators. */
export const OPERATORS: ReadonlySet<string> = new Set([
  ...standard.map(({ name }) => name).filter((name) => !/^[A-Za-z]/.test(name)),
  ...['_[_]', '_?_:_', '_&&_', '_||_', '@not_strictly_false'],
]);
