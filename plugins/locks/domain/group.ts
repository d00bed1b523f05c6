import { createHash } from 'node:crypto';
import { Errors } from '../../../kernel/contracts/index.ts';

const LONGEST = 255;

/** Answers the name of a group; throws `invalid_request` when it can be none. */
export function checkGroup(name: string): string {
  const message = fault(name);
  if (message === undefined) return name;
  throw Errors.invalidRequest(`the name of a group ${message}`, { errors: [{ pointer: '/group', message }] });
}

function fault(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  // A character has at most two units: a huge text is not taken apart to be counted.
  if (name.length > LONGEST * 2 || [...name].length > LONGEST) return `must have at most ${LONGEST} characters`;
  if (/\p{Cc}/u.test(name)) return 'must hold no control characters';
  return name.isWellFormed() ? undefined : 'must be valid Unicode';
}

/** Finds a group by its name, byte by byte. 40 hexadecimal digits. */
export const groupKey = (name: string): string =>
  createHash('sha256').update(`lock\0${name}`).digest('hex').slice(0, 40);
