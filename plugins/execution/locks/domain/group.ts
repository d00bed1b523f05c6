import { createHash } from 'node:crypto';
import { Errors } from '../../../../kernel/contracts/index.ts';

export const MAX_GROUP_LENGTH = 255;
/** Maximum groups of a project that its untrusted runs may hold or wait for at once. */
export const MAX_UNTRUSTED_GROUPS = 1000;

/** Returns the name of a group if it is valid. Throws `invalid_request`. */
export function assertGroupName(name: string): string {
  const message = validateGroupName(name);
  if (message === undefined) return name;
  throw Errors.invalidRequest(`the group name ${message}`, { errors: [{ pointer: '/group', message }] });
}

function validateGroupName(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  // A character takes at most two UTF-16 units, so a huge text is rejected without splitting it.
  if (name.length > MAX_GROUP_LENGTH * 2 || [...name].length > MAX_GROUP_LENGTH)
    return `must have at most ${MAX_GROUP_LENGTH} characters`;
  if (/\p{Cc}/u.test(name)) return 'must not contain control characters';
  return name.isWellFormed() ? undefined : 'must be valid Unicode';
}

/**
 * Returns the key of a group, 40 hexadecimal digits, by the bytes of its name. Untrusted runs have separate groups,
 * so that they neither block nor cancel trusted ones.
 */
export const groupKey = (name: string, trusted: boolean): string =>
  createHash('sha256')
    .update(`${trusted ? '' : 'untrusted\0'}lock\0${name}`)
    .digest('hex')
    .slice(0, 40);
