import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Fault, JsonSchema } from '../../../kernel/contracts/index.ts';
import { everyFault, firstFault } from './ajv.ts';
import { toFaults } from './faults.ts';
import { holdsExact } from './exact-number.ts';
import { isExact, putDoubles, valueAt, withDoubles } from './plain-numbers.ts';
import { stepsOf } from './pointer.ts';

/**
 * Answers the faults of a value; empty when it is valid. With `all: false` it stops at the first fault, for values so
 * large that listing all faults would block the process. A number that no double keeps is valid where its nearest double
 * is. With `doubles` it becomes this double in the value itself, where the schema asks for a number; elsewhere it stays.
 */
export type Validator = (value: unknown, options?: { all?: boolean; doubles?: boolean }) => Fault[];

const compiled = new WeakMap<JsonSchema, Validator>();

/** `compile` at the first value: a start of the program does not wait for schemas that it may never use. */
export function compileAtUse(schema: JsonSchema): Validator {
  return (value, options) => compile(schema)(value, options);
}

/** Compiles a JSON Schema (2020-12) once. Throws when the schema itself is invalid. */
export function compile(schema: JsonSchema): Validator {
  const known = compiled.get(schema);
  if (known) return known;
  const verdict = firstFault.compile(schema);
  let lister: ValidateFunction | undefined;
  const faultsIn = (value: unknown) => {
    lister ??= everyFault.compile(schema);
    lister(value);
    return lister.errors ?? [];
  };
  const validator: Validator = (given, { all = true, doubles = false } = {}) => {
    let places: string[][] = [];
    if (verdict(given)) {
      // To the schema, a number that is held as an object is one.
      if (!holdsExact(given)) return [];
    } else {
      const found = all ? faultsIn(given) : (verdict.errors ?? []);
      if (!found.some((error) => isExact(valueAt(given, stepsOf(error.instancePath))))) return toFaults(found);
      places = faultsIn(given).filter(asksForNumber).map(placeOf);
    }
    const value = withDoubles(given);
    // Where the schema asks for a number, one beyond all doubles is none; elsewhere it is passed on.
    putDoubles(value, places, given);
    if (doubles) putDoubles(given, places, given);
    if (verdict(value)) return [];
    return toFaults(all ? faultsIn(value) : (verdict.errors ?? []));
  };
  compiled.set(schema, validator);
  return validator;
}

const placeOf = ({ instancePath }: ErrorObject): string[] => stepsOf(instancePath);

/** Not where any JSON may stand: that is passed on. */
function asksForNumber({ keyword, params }: ErrorObject): boolean {
  const { type } = params as { type?: string | string[] };
  return keyword !== 'type' || ![type].flat().includes('object');
}
