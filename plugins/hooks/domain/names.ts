import { Errors, type ServiceError } from '../../../kernel/contracts/index.ts';

const GIVEN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
/** Of graph triggers. The name and a dot stand before each of its types, which have at most 64 characters. */
const MINTED = /^[a-z]+\.[A-Za-z0-9][A-Za-z0-9_-]*\.[A-Za-z0-9][A-Za-z0-9_-]*$/;
const MINTED_MOST = 62;

const message = 'must have 1 to 63 characters from A-Z a-z 0-9 _ -, the first a letter or digit';

export const invalid = (pointer: string, what: string): ServiceError =>
  Errors.invalidRequest(`${pointer.slice(1).replace('path/', '')} ${what}`, { errors: [{ pointer, message: what }] });

/** Throws `invalid_request` for a name that no person may give. */
export function checkName(name: string): string {
  if (!GIVEN.test(name)) throw invalid('/path/hook', message);
  return name;
}

/** Throws `invalid_request`: `graph.<graph>.<node>`, so short that a type fits behind it. */
export function checkMinted(name: string): string {
  if (MINTED.test(name) && name.length <= MINTED_MOST) return name;
  throw invalid('/name', `must be like graph.<graph>.<node>, with at most ${MINTED_MOST} characters`);
}

/** Can there be such a hook? Whatever else is asked for is never shown to the database. */
export const isName = (name: string): boolean => GIVEN.test(name) || (MINTED.test(name) && name.length <= MINTED_MOST);

export const isHookId = (id: string): boolean => /^hook_[0-9A-Z]{26}$/.test(id);
