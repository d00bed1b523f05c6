import { type CliError, usageError } from '../errors.ts';

/** An address for people: what may be a password or a token in it is left out. */
const shown = (address: string): string => address.replace(/\/\/.*@/s, '//').replace(/[?#].*$/s, '');

const refused = (address: string, why: string): CliError =>
  usageError(
    `"${shown(address)}" ${why}`,
    'set SVC_URL to one like http://127.0.0.1:8787, or log in to it with `svc login --url`',
  );

/**
 * Throws for what is no address of a server. A password in one would be shown wherever the address is, and what follows
 * `?` or `#` would take in the path of each call.
 */
export function checkAddress(address: string): void {
  if (address.startsWith('unix:')) return;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw refused(address, 'is not an address');
  const { username, password } = new URL(address);
  if (username !== '' || password !== '')
    throw refused(address, 'is given with a name or a password; svc sends only its token');
  if (/[?#]/.test(address)) throw refused(address, 'is given with ? or #, which an address of a server has not');
}

/** Throws for a name that would lead to another place than the one that is meant: `svc cancel ..`. */
export function checkPath(path: string): void {
  const name = path.split('/').find((part) => part === '.' || part === '..');
  if (name !== undefined) throw usageError(`"${name}" is no name`, 'give the name or the id of what you mean');
}
