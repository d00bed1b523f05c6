import { Errors, type ServiceError } from '../../../kernel/contracts/index.ts';
import type { Noun } from '../../resources/contract.ts';
import { variableFault } from '../../runs/contract.ts';

/** A shorter value cannot be masked: it would stand in too much that is no secret. */
export const MIN_CHARACTERS = 4;
/** Of UTF-8, exactly this many are accepted. */
export const MAX_BYTES = 48 * 1024;
/** All secrets of a project are the environment of each of its jobs, and masked there in every form they may take. */
export const MAX_SECRETS = 1000;
export const MAX_TOTAL_BYTES = 256 * 1024;

/** A name is that of a variable of jobs. */
export const SECRET: Noun = { noun: 'secret', plural: 'secrets', names: { fault: variableFault } };

const invalid = (pointer: string, what: string, message: string): ServiceError =>
  Errors.invalidRequest(`the ${what} ${message}`, { errors: [{ pointer, message }] });

/** Throws `payload_too_large` or `invalid_request`; neither says anything of the value but its size. */
export function checkValue(value: string): string {
  const bytes = Buffer.byteLength(value);
  if (bytes > MAX_BYTES) throw Errors.payloadTooLarge(`the value has ${bytes} bytes; the limit is ${MAX_BYTES}`);
  if (value === '') throw invalid('/value', 'value', 'must not be empty');
  if (value.includes('\0')) throw invalid('/value', 'value', 'must not contain NUL: a variable cannot contain it');
  if (!value.isWellFormed()) throw invalid('/value', 'value', 'must be valid Unicode');
  if (value.length < MIN_CHARACTERS * 2 && [...value].length < MIN_CHARACTERS)
    throw invalid(
      '/value',
      'value',
      `must have at least ${MIN_CHARACTERS} characters: shorter values cannot be masked in logs`,
    );
  return value;
}
