import { Errors } from '../../../kernel/contracts/index.ts';
import { type Noun, PLAIN_OR_OWNED } from '../../resources/contract.ts';

export const SCHEDULE: Noun = { noun: 'schedule', plural: 'schedules', names: PLAIN_OR_OWNED };

/** Throws `invalid_request`. The same rule as for the subject of a submit. */
export function checkSubject(subject: string | undefined): void {
  const message = subject === undefined ? undefined : subjectFault(subject);
  if (message !== undefined)
    throw Errors.invalidRequest(`the subject ${message}`, { errors: [{ pointer: '/subject', message }] });
}

function subjectFault(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  // A character has at most two units: a huge text need not be split to be counted.
  if (text.length > 510 || [...text].length > 255) return 'must have at most 255 characters';
  if (/\p{Cc}/u.test(text)) return 'must not contain control characters';
  return text.isWellFormed() ? undefined : 'must be valid Unicode';
}
