import { Errors } from '../../../kernel/contracts/index.ts';

/** ASCII, so that every database compares them by bytes. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** Can there be such a name? Whatever else is asked for is never shown to the database. */
export const isName = (name: string | undefined): name is string => name !== undefined && NAME.test(name);

/** Throws `invalid_request`. */
export function checkName(name: string): string {
  if (isName(name)) return name;
  const message = 'must be 1 to 63 letters, digits, _ and -, beginning with a letter or digit';
  throw Errors.invalidRequest(`the name ${message}`, { errors: [{ pointer: '/path/schedule', message }] });
}

/** Throws `invalid_request`. The same that a submit takes as its subject. */
export function checkSubject(subject: string | undefined): void {
  const message = subject === undefined ? undefined : subjectFault(subject);
  if (message !== undefined)
    throw Errors.invalidRequest(`the subject ${message}`, { errors: [{ pointer: '/subject', message }] });
}

function subjectFault(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  // A character has at most two units: a huge text is not taken apart to be counted.
  if (text.length > 510 || [...text].length > 255) return 'must have at most 255 characters';
  if (/\p{Cc}/u.test(text)) return 'must hold no control characters';
  return text.isWellFormed() ? undefined : 'must be valid Unicode';
}
