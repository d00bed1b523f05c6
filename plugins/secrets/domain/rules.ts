import { Errors, type ServiceError } from '../../../kernel/contracts/index.ts';
import { variableFault } from '../../runs/contract.ts';

/** A shorter value cannot be masked: it would stand in too much that is no secret. */
export const LEAST_CHARACTERS = 4;
/** Of UTF-8, exactly this many are accepted. */
export const MOST_BYTES = 48 * 1024;
/** All secrets of a project are the environment of each of its jobs, and masked there in every form they may take. */
export const MOST_SECRETS = 1000;
export const MOST_BYTES_IN_ALL = 256 * 1024;

const invalid = (pointer: string, what: string, message: string): ServiceError =>
  Errors.invalidRequest(`the ${what} ${message}`, { errors: [{ pointer, message }] });

/** Throws `invalid_request` for a name that no job can have a variable of. */
export function checkName(name: string): string {
  const message = variableFault(name);
  if (message !== undefined) throw invalid('/path/secret', 'name', message);
  return name;
}

/** Can there be such a secret? Whatever else is asked for is never shown to the database. */
export const isName = (name: string | undefined): name is string =>
  name !== undefined && variableFault(name) === undefined;

/** Throws `payload_too_large` or `invalid_request`; neither says anything of the value but its size. */
export function checkValue(value: string): string {
  const bytes = Buffer.byteLength(value);
  if (bytes > MOST_BYTES) throw Errors.payloadTooLarge(`the value has ${bytes} bytes; at most ${MOST_BYTES} are taken`);
  if (value === '') throw invalid('/value', 'value', 'must not be empty');
  if (value.includes('\0')) throw invalid('/value', 'value', 'must hold no NUL: no variable can');
  if (!value.isWellFormed()) throw invalid('/value', 'value', 'must be valid Unicode');
  if (value.length < LEAST_CHARACTERS * 2 && [...value].length < LEAST_CHARACTERS)
    throw invalid(
      '/value',
      'value',
      `must have at least ${LEAST_CHARACTERS} characters: a shorter one cannot be masked in logs`,
    );
  return value;
}
