import type { Fault } from '../../../../kernel/contracts/index.ts';
import { CheckFailed, describeErrors, fillDefaults } from '../../../platform/schema/contract.ts';
import { inputInvalid } from './errors.ts';
import type { Json } from './run.ts';

/** The declared inputs of a run, of the content of its input file: beside an event, or what its submit or call passed. */
export const inputsOf = ({ inputs, input }: { readonly [member: string]: Json }): Json => inputs ?? input ?? {};

/** What a check of an input has found, as it is copied between threads. */
export type InputFindings = { value: Json } | { errors: Fault[] } | { failure: string };

/** Checks an input and fills in the defaults of its schema. At most ten faults, with pointers below `/input`. */
export function checkInput(schema: string, input: Json): InputFindings {
  try {
    return fillDefaults(schema, { value: input, called: 'input', at: '/input' }) as InputFindings;
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error;
    return { failure: error.message };
  }
}

/** The input with its defaults. Throws `input_invalid` with the errors of the input. */
export function acceptFindings(findings: InputFindings): Json {
  if ('value' in findings) return findings.value;
  if ('failure' in findings) throw inputInvalid(findings.failure);
  throw inputInvalid(describeErrors(findings.errors), { errors: findings.errors });
}

/** The input with the defaults of its schema. Throws `input_invalid` with the errors of the input. */
export const acceptInput = (schema: string, input: Json): Json => acceptFindings(checkInput(schema, input));
