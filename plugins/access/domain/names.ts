import { Errors } from '../../../kernel/contracts/index.ts';

/** Orgs, projects, users and tokens. ASCII, so that every database compares them by bytes. */
export const NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$';

const NAME = new RegExp(NAME_PATTERN);

export const isName = (text: string): boolean => NAME.test(text);

/** Throws `invalid_request`; `what` says which name it is. */
export function checkName(text: string, what: string, pointer = `/${what}`): string {
  if (isName(text)) return text;
  const message = 'must be 1 to 63 letters, digits, _ and -, beginning with a letter or digit';
  throw Errors.invalidRequest(`the ${what} name ${message}`, { errors: [{ pointer, message }] });
}

/** The most that is kept of a foreign name: a number may follow. */
const LIKE_LENGTH = 48;

/** A name made of a foreign one, such as that of a person at another system. */
export function nameLike(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[-_]+$/g, '')
    .slice(0, LIKE_LENGTH);
  return plain === '' ? 'user' : plain;
}
