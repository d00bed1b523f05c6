import { createHash } from 'node:crypto';
import { Errors } from '../../../kernel/contracts/index.ts';

export const MAX_GROUP_LENGTH = 255;
/** Groups of a project that its untrusted runs may hold or wait for at once. */
export const MAX_UNTRUSTED_GROUPS = 1000;

/** Returns the name of a group. Throws `invalid_request` for an invalid name. */
export function checkGroup(name: string): string {
  const message = fault(name);
  if (message === undefined) return name;
  throw Errors.invalidRequest(`the name of a group ${message}`, { errors: [{ pointer: '/group', message }] });
}

function fault(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  // A character has at most two units: a huge text need not be split to be counted.
  if (name.length > MAX_GROUP_LENGTH * 2 || [...name].length > MAX_GROUP_LENGTH)
    return `must have at most ${MAX_GROUP_LENGTH} characters`;
  if (/\p{Cc}/u.test(name)) return 'must not contain control characters';
  return name.isWellFormed() ? undefined : 'must be valid Unicode';
}

/**
 * Key of a group by its name, byte by byte. 40 hexadecimal digits. Untrusted runs have groups of their own: they block
 * and cancel no trusted one.
 */
export const groupKey = (name: string, trusted: boolean): string =>
  createHash('sha256')
    .update(`${trusted ? '' : 'untrusted\0'}lock\0${name}`)
    .digest('hex')
    .slice(0, 40);
