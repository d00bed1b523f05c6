import { Errors } from '../../../kernel/contracts/index.ts';

/** ASCII, so that every database compares them by bytes. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** Can there be such a name? Whatever else is asked for is never shown to the database. */
export const isName = (name: string): boolean => NAME.test(name);

/** Throws `invalid_request`. */
export function checkName(name: string): void {
  if (isName(name)) return;
  const message = 'must be 1 to 63 letters, digits, _ and -, beginning with a letter or digit';
  throw Errors.invalidRequest(`the name ${message}`, { errors: [{ pointer: '/path/handler', message }] });
}
