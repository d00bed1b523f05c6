import type { ValidateFunction } from 'ajv';
import type { Fault, JsonSchema } from '../../../kernel/contracts/index.ts';
import { everyFault, firstFault } from './ajv.ts';
import { toFaults } from './faults.ts';

/**
 * Answers the faults of a value; empty when it is valid. With `all: false` it stops at the first fault, for values so
 * large that listing all faults would block the process.
 */
export type Validator = (value: unknown, options?: { all?: boolean }) => Fault[];

const compiled = new WeakMap<JsonSchema, Validator>();

/** Compiles a JSON Schema (2020-12) once. Throws when the schema itself is invalid. */
export function compile(schema: JsonSchema): Validator {
  const known = compiled.get(schema);
  if (known) return known;
  const verdict = firstFault.compile(schema);
  let lister: ValidateFunction | undefined;
  const validator: Validator = (value, { all = true } = {}) => {
    if (verdict(value)) return [];
    if (!all) return toFaults(verdict.errors ?? []);
    lister ??= everyFault.compile(schema);
    lister(value);
    return toFaults(lister.errors ?? []);
  };
  compiled.set(schema, validator);
  return validator;
}
