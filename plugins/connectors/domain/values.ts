import type { Fault } from '../../../kernel/contracts/index.ts';
import type { ManifestValue } from '../../manifests/contract.ts';
import type { Json } from '../../runs/contract.ts';
import type { ConnectorValues } from '../contract.ts';
import { isNumber, pointerTo } from '../../schema/contract.ts';

type ValueType = ManifestValue['type'];

const ARTICLES: Record<ValueType, string> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  any: 'a value',
};

const IS: Record<ValueType, (value: Json) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isSafeInteger(value) || typeof value === 'bigint',
  number: isNumber,
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumber(value),
  any: () => true,
};

/** What is wrong with one value that is given for this declaration. */
export function valueFault({ type, one_of }: ManifestValue, value: Json): string | undefined {
  if (!IS[type](value)) return `must be ${ARTICLES[type]}, and is ${kindOf(value)}`;
  if (one_of && !one_of.includes(value as string)) return `must be one of ${one_of.join(', ')}`;
  return undefined;
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  const found = (['string', 'boolean', 'integer', 'number', 'array', 'object'] as const).find((type) =>
    IS[type](value),
  );
  return ARTICLES[found ?? 'any'];
}

/** Null says "not given", except where any JSON is meant. */
const isGiven = (type: ValueType, value: Json | undefined): value is Json =>
  value !== undefined && (value !== null || type === 'any');

export interface Filled {
  values: ConnectorValues;
  faults: Fault[];
}

/** The given values with their defaults, and everything that is wrong with them, with pointers below `at`. */
export function fillIn(
  declared: readonly ManifestValue[],
  given: ConnectorValues,
  { at, more }: { at: string; more: boolean },
): Filled {
  const faults: Fault[] = [];
  const say = (name: string, message: string) => faults.push({ pointer: pointerTo(at, name), message });
  const values: { [name: string]: Json } = {};
  for (const one of declared) {
    const { name, type, required, default: preset } = one;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (isGiven(type, value)) {
      const fault = valueFault(one, value);
      if (fault === undefined) values[name] = value;
      else say(name, fault);
    } else if (required) say(name, `is required: ${ARTICLES[type]}${one.title ? ` (${one.title})` : ''}`);
    else if (preset !== undefined) values[name] = preset as Json;
  }
  const names = new Set(declared.map(({ name }) => name));
  for (const name of Object.keys(given))
    if (!names.has(name)) {
      if (more) values[name] = given[name]!;
      else say(name, `is not known here; ${names.size > 0 ? `known: ${[...names].join(', ')}` : 'there are none'}`);
    }
  return { values, faults };
}
