import { Errors } from '../../../kernel/contracts/index.ts';

/** ASCII, so that every database compares them by bytes. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const REPO_PART = /^[A-Za-z0-9._-]{1,100}$/;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Can there be such a name? Whatever else is asked for is never shown to the database. */
export const isName = (name: string): boolean => NAME.test(name);

const refuse = (pointer: string, what: string, message: string) =>
  Errors.invalidRequest(`${what} ${message}`, { errors: [{ pointer, message }] });

/** Throws `invalid_request`. */
export function checkName(name: string): void {
  if (isName(name)) return;
  throw refuse(
    '/path/webhook',
    'the name',
    'must be 1 to 63 letters, digits, _ and -, beginning with a letter or digit',
  );
}

/** `owner/name`. Throws `invalid_request`. */
export function checkRepo(repo: string): void {
  const parts = repo.split('/');
  if (parts.length === 2 && parts.every((part) => REPO_PART.test(part) && !/^\.+$/.test(part))) return;
  throw refuse('/repo', 'the repo', 'must be written owner/name, in letters, digits, dots, _ and -');
}

/**
 * The base of the forge's API without a slash at its end. A token is sent there, so it is https, or this machine. Throws
 * `invalid_request`.
 */
export function checkApiBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const say = (message: string) => refuse('/api_base', 'api_base', message);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw say('must be an https address');
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw say('must be https: a token is sent there; http is for localhost only');
  if (url.username !== '' || url.password !== '') throw say('must hold no user and no password; name a credential');
  if (url.search !== '' || url.hash !== '') throw say('must hold no query and no fragment');
  return url.href.replace(/\/+$/, '');
}
