import type { Fault } from '../../../../kernel/contracts/index.ts';
import type { ManifestValue } from '../../manifests/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { ConnectorValues } from '../contract.ts';
import { isNumber, pointerTo } from '../../../platform/schema/contract.ts';

type ValueType = ManifestValue['type'];

const ARTICLES: Record<ValueType, string> = {
  string: 'a string',
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

/** Explains why a value does not match its declaration; undefined when it does. */
export function validateValue({ type, one_of }: ManifestValue, value: Json): string | undefined {
  if (!IS[type](value)) return `must be ${ARTICLES[type]}, not ${describeType(value)}`;
  if (one_of && !one_of.includes(value as string)) return `must be one of ${one_of.join(', ')}`;
  return undefined;
}

function describeType(value: Json): string {
  if (value === null) return 'null';
  const type = (['string', 'boolean', 'integer', 'number', 'array', 'object'] as const).find((type) => IS[type](value));
  return ARTICLES[type ?? 'any'];
}

/** Null means that the value is missing, unless any JSON is allowed. */
const hasValue = (type: ValueType, value: Json | undefined): value is Json =>
  value !== undefined && (value !== null || type === 'any');

export interface FilledValues {
  values: ConnectorValues;
  errors: Fault[];
}

/** Returns the values with their defaults, and every invalid value with a pointer below `at`. */
export function fillIn(
  declared: readonly ManifestValue[],
  provided: ConnectorValues,
  { at, more }: { at: string; more: boolean },
): FilledValues {
  const errors: Fault[] = [];
  const report = (name: string, message: string) => errors.push({ pointer: pointerTo(at, name), message });
  const values: { [name: string]: Json } = {};
  for (const declaration of declared) {
    const { name, type, required, default: preset } = declaration;
    const value = Object.hasOwn(provided, name) ? provided[name] : undefined;
    if (hasValue(type, value)) {
      const error = validateValue(declaration, value);
      if (error === undefined) values[name] = value;
      else report(name, error);
    } else if (required)
      report(name, `is required: ${ARTICLES[type]}${declaration.title ? ` (${declaration.title})` : ''}`);
    else if (preset !== undefined) values[name] = preset as Json;
  }
  const names = new Set(declared.map(({ name }) => name));
  for (const name of Object.keys(provided))
    if (!names.has(name)) {
      if (more) values[name] = provided[name]!;
      else report(name, `is not known here; ${names.size > 0 ? `known: ${[...names].join(', ')}` : 'there are none'}`);
    }
  return { values, errors };
}
