import { Errors, type ServiceError } from '../../../../kernel/contracts/index.ts';
import type { ResourceType } from '../../../platform/resources/contract.ts';
import { variableFault } from '../../../engine/runs/contract.ts';
import type { PutSecret } from '../generated/put-secret.ts';

/** Shorter values cannot be masked, because they occur in too much that is not secret. */
export const MIN_CHARACTERS = 4;
/** The maximum bytes of a value in UTF-8. */
export const MAX_BYTES = 48 * 1024;
/** All secrets of a project are in the environment of each of its jobs, and are masked there in many encodings. */
export const MAX_SECRETS = 1000;
export const MAX_TOTAL_BYTES = 256 * 1024;
/** A claim reads each of them from its store. */
export const MAX_STORED_ELSEWHERE = 100;

/** The name of a secret is that of a variable in jobs. */
export const SECRET: ResourceType = { noun: 'secret', plural: 'secrets', names: { validate: variableFault } };

const invalid = (pointer: string, what: string, message: string): ServiceError =>
  Errors.invalidRequest(`the ${what} ${message}`, { errors: [{ pointer, message }] });

/** Validates that a body has a value, or where it is. Throws as `checkValue` does. */
export function checkBody({ value, from }: PutSecret): void {
  if (value !== undefined && from !== undefined) throw invalid('/from', 'body', 'must have either value or from');
  if (from === undefined) checkValue(value ?? missing());
}

function missing(): never {
  throw invalid('/value', 'value', 'is missing; or set a secret store in `from`');
}

/** Validates a value. Throws `payload_too_large` or `invalid_request`, which reveal nothing of the value but its size. */
export function checkValue(value: string): string {
  const bytes = Buffer.byteLength(value);
  if (bytes > MAX_BYTES) throw Errors.payloadTooLarge(`the value is ${bytes} bytes long; the limit is ${MAX_BYTES}`);
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
