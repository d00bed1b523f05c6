import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Fault, JsonSchema } from '../../../../kernel/contracts/index.ts';
import { collectAll, failFast } from './ajv.ts';
import { toValidationErrors } from './validation-errors.ts';
import { containsExact } from './exact-number.ts';
import { isExact, putDoubles, valueAt, withDoubles } from './double-numbers.ts';
import { stepsOf } from './pointer.ts';

/**
 * Returns the validation errors of a value; empty when it is valid. With `all: false` it stops at the first error, for values
 * so large that listing all errors would block the process. A number that no double represents exactly is valid where its
 * nearest double is. With `doubles`, the value itself gets that double where the schema requires a number.
 */
export type Validator = (value: unknown, options?: { all?: boolean; doubles?: boolean }) => Fault[];

const compiled = new WeakMap<JsonSchema, Validator>();

/** Like `compile`, but compiles at the first use, so that a start does not wait for schemas that it may never need. */
export function compileAtUse(schema: JsonSchema): Validator {
  return (value, options) => compile(schema)(value, options);
}

/** Compiles a JSON Schema (2020-12) once. Throws when the schema itself is invalid. */
export function compile(schema: JsonSchema): Validator {
  const cached = compiled.get(schema);
  if (cached) return cached;
  const validateFast = failFast.compile(schema);
  let lister: ValidateFunction | undefined;
  const collectErrors = (value: unknown) => {
    lister ??= collectAll.compile(schema);
    lister(value);
    return lister.errors ?? [];
  };
  const validator: Validator = (value_in, { all = true, doubles = false } = {}) => {
    let pointers: string[][] = [];
    if (validateFast(value_in)) {
      // A number that is represented by an object looks like an object to the schema.
      if (!containsExact(value_in)) return [];
    } else {
      const errors = all ? collectErrors(value_in) : (validateFast.errors ?? []);
      if (!errors.some((error) => isExact(valueAt(value_in, stepsOf(error.instancePath)))))
        return toValidationErrors(errors);
      pointers = collectErrors(value_in).filter(requiresNumber).map(pointerSteps);
    }
    const value = withDoubles(value_in);
    // Where the schema requires a number, one beyond the range of doubles is invalid. Elsewhere it is left alone.
    putDoubles(value, pointers, value_in);
    if (doubles) putDoubles(value_in, pointers, value_in);
    if (validateFast(value)) return [];
    return toValidationErrors(all ? collectErrors(value) : (validateFast.errors ?? []));
  };
  compiled.set(schema, validator);
  return validator;
}

const pointerSteps = ({ instancePath }: ErrorObject): string[] => stepsOf(instancePath);

/** Tells whether the schema requires a number here, and would not accept any JSON. */
function requiresNumber({ keyword, params }: ErrorObject): boolean {
  const { type } = params as { type?: string | string[] };
  return keyword !== 'type' || ![type].flat().includes('object');
}
