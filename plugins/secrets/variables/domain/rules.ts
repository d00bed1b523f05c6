import { Errors, type ServiceError } from '../../../../kernel/contracts/index.ts';
import type { ResourceType } from '../../../platform/resources/contract.ts';
import { variableFault } from '../../../engine/runs/contract.ts';

/** The maximum bytes of a value in UTF-8. A process takes no variable of 128 KiB. */
export const MAX_BYTES = 64 * 1024;
/** The maximum for a project, and for an org. */
export const MAX_VARIABLES = 500;
/** A run gets the values of its project and of its org, so it gets at most twice as much. */
export const MAX_TOTAL_BYTES = 128 * 1024;

/** The name of a variable is also its name in the environment of jobs. */
export const VARIABLE: ResourceType = {
  noun: 'variable',
  plural: 'vars',
  names: { validate: variableFault },
};

const invalid = (message: string): ServiceError =>
  Errors.invalidRequest(`the value ${message}`, { errors: [{ pointer: '/value', message }] });

/** Throws `payload_too_large` or `invalid_request`. */
export function checkValue(value: string): void {
  const bytes = Buffer.byteLength(value);
  if (bytes > MAX_BYTES) throw Errors.payloadTooLarge(`the value is ${bytes} bytes long; the limit is ${MAX_BYTES}`);
  if (value.includes('\0')) throw invalid('must not contain NUL: the environment of a process cannot contain it');
  if (!value.isWellFormed()) throw invalid('must be valid Unicode');
}
