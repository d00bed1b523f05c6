import { type CliError, usageError } from '../errors.ts';

/** Formats an address for people, without anything that may be a password or a token. */
const redactUrl = (address: string): string => address.replace(/\/\/.*@/s, '//').replace(/[?#].*$/s, '');

const invalidAddress = (address: string, why: string): CliError =>
  usageError(
    `"${redactUrl(address)}" ${why}`,
    'write the complete address, such as http://127.0.0.1:8787, in SVC_URL or in `svc login --url`',
  );

/**
 * Throws a usage error for anything that is not the address of a server. A password in an address would be shown wherever the
 * address is shown, and a `?` or `#` would swallow the path of every call.
 */
export function checkAddress(address: string): void {
  if (address.startsWith('unix:')) return;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw invalidAddress(address, 'is not an address');
  const { username, password } = new URL(address);
  if (username !== '' || password !== '')
    throw invalidAddress(address, 'contains a username or password; svc sends only its token');
  if (/[?#]/.test(address)) throw invalidAddress(address, 'must not contain ? or #');
}

/** Throws for a name that would change the path of the request: `svc cancel ..`. */
export function checkPath(path: string): void {
  const name = path.split('/').find((segment) => segment === '.' || segment === '..');
  if (name !== undefined) throw usageError(`"${name}" is not a valid name`, 'use a name or an ID');
}
