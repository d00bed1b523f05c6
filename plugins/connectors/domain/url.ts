import { CREDENTIAL_HOLE } from '../../requests/contract.ts';

/** A part of the URL of an action: as the manifest writes it, or a value that was put in. */
export type UrlPart = { literal: string } | { value: string; slashes: boolean };

/** The address of a request, or what is wrong with the value at this part. */
export type Built = { url: string } | { fault: string; part: number };

const MAX_CHARACTERS = 16_384;
const OTHER_ADDRESS = 'makes . or .. a part of the path: that is another address';
const HOST = /^[A-Za-z0-9.:[\]-]*$/;
const DOTS = /^(?:\.|%2e){1,2}$/i;

/**
 * Puts the parts of a URL together. A value at the very beginning is the prefix of the address and must be http(s); one
 * in the host must be written as a host; every other one is percent-encoded, so that it stays in its place.
 */
export function buildUrl(parts: readonly UrlPart[]): Built {
  let url = '';
  for (const [part, one] of parts.entries()) {
    const piece = 'literal' in one ? one.literal : pieceOf(one, url, parts.length === 1);
    if (typeof piece !== 'string') return { ...piece, part };
    url += piece;
  }
  const part = parts.findLastIndex((one) => 'value' in one);
  const fault = wholeFault(url, parts.length === 1);
  return fault === undefined ? { url } : { fault, part };
}

function pieceOf(
  { value, slashes }: { value: string; slashes: boolean },
  before: string,
  alone: boolean,
): string | { fault: string } {
  if (!value.isWellFormed()) return { fault: 'must be valid Unicode' };
  if (before === '') return prefixOf(value, alone);
  if (value === '') return before.includes('?') ? '' : { fault: 'must not be empty: it is a part of the address' };
  if (!/^https?:\/\/[^/?]*[/?]/.test(before))
    return HOST.test(value) ? value : { fault: 'must be a host name: it is a part of the host' };
  if (!slashes) return encodeURIComponent(value);
  const steps = value.split('/');
  if (steps.includes('')) return { fault: 'must not begin or end with /, nor have two of them in a row' };
  if (steps.some((one) => DOTS.test(one))) return { fault: OTHER_ADDRESS };
  return steps.map(encodeURIComponent).join('/');
}

/** The given beginning of an address, without the slashes at its end. Only a whole address may have a query. */
function prefixOf(value: string, alone: boolean): string | { fault: string } {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  if (!parsed || !/^https?:\/\//i.test(value))
    return { fault: 'must be an address that begins with https:// or http://' };
  if (parsed.username !== '' || parsed.password !== '')
    return { fault: 'must not contain a user or a password: use a credential' };
  if (/[\s\\{}#]|\p{Cc}/u.test(value)) return { fault: 'must not contain blanks, \\, {, } or #' };
  if (!alone && value.includes('?')) return { fault: 'must not contain a query: a path follows it' };
  return alone ? value : value.replace(/\/+$/, '');
}

/** A whole address that is given is the caller's own: only what is put into one is looked at. */
function wholeFault(url: string, given: boolean): string | undefined {
  if (url.length > MAX_CHARACTERS) return `makes an address of more than ${MAX_CHARACTERS} characters`;
  const [path = ''] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  const segments = path.split('/').slice(1);
  if (!given && segments.some((one) => DOTS.test(one))) return OTHER_ADDRESS;
  return URL.canParse(url.replaceAll(CREDENTIAL_HOLE, 'x')) ? undefined : 'does not make an address';
}
