import { Errors } from '../../../../kernel/contracts/index.ts';
import { type ResourceType, USER_OR_MANAGED_NAMES } from '../../../platform/resources/contract.ts';

export const SCHEDULE: ResourceType = { noun: 'schedule', plural: 'schedules', names: USER_OR_MANAGED_NAMES };

/** Applies the same rule as to the subject of a submit. Throws `invalid_request`. */
export function assertSubject(subject: string | undefined): void {
  const message = subject === undefined ? undefined : validateSubject(subject);
  if (message !== undefined)
    throw Errors.invalidRequest(`the subject ${message}`, { errors: [{ pointer: '/subject', message }] });
}

function validateSubject(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  // A character takes at most two UTF-16 units, so a huge text is rejected without splitting it.
  if (text.length > 510 || [...text].length > 255) return 'must have at most 255 characters';
  if (/\p{Cc}/u.test(text)) return 'must not contain control characters';
  return text.isWellFormed() ? undefined : 'must be valid Unicode';
}
