import { Errors } from '../../../../kernel/contracts/index.ts';

/** The names of orgs, projects, users and tokens. They are ASCII, so that every database compares them by bytes. */
export const NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$';

const NAME = new RegExp(NAME_PATTERN);

export const isName = (text: string): boolean => NAME.test(text);

/** Validates a name. Throws `invalid_request`. `what` says which name it is. */
export function checkName(text: string, what: string, pointer = `/${what}`): string {
  if (isName(text)) return text;
  const message = 'must be 1 to 63 letters, digits, _ and -, beginning with a letter or digit';
  throw Errors.invalidRequest(`the ${what} name ${message}`, { errors: [{ pointer, message }] });
}

/** The maximum length of a derived name, to which a number may be added. */
const MAX_DERIVED_LENGTH = 48;

/** Derives a valid name from a foreign one, such as that of a person in another system. */
export function deriveName(text: string): string {
  const ascii = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[-_]+$/g, '')
    .slice(0, MAX_DERIVED_LENGTH);
  return ascii === '' ? 'user' : ascii;
}
