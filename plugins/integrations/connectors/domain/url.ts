import { CREDENTIAL_PLACEHOLDER } from '../../requests/contract.ts';

/** A segment of the URL of an action: literal text of the manifest, or a value. */
export type UrlSegment = { literal: string } | { value: string; slashes: boolean };

/** The address of a request, or what is wrong with the value at this part. */
export type BuiltUrl = { url: string } | { error: string; segment_index: number };

const MAX_CHARACTERS = 16_384;
const OTHER_ADDRESS = 'puts . or .. in the path, which changes the address';
const HOST = /^[A-Za-z0-9.:[\]-]*$/;
const DOTS = /^(?:\.|%2e){1,2}$/i;

/**
 * Joins the segments of a URL. A value at the very beginning is the prefix of the address and must be http(s). A value
 * in the host must be a host name. Every other value is percent-encoded, so that it cannot change the structure.
 */
export function buildUrl(segments: readonly UrlSegment[]): BuiltUrl {
  let url = '';
  for (const [index, one] of segments.entries()) {
    const piece = 'literal' in one ? one.literal : encodeSegment(one, url, segments.length === 1);
    if (typeof piece !== 'string') return { ...piece, segment_index: index };
    url += piece;
  }
  const last_value = segments.findLastIndex((one) => 'value' in one);
  const error = validateUrl(url, segments.length === 1);
  return error === undefined ? { url } : { error, segment_index: last_value };
}

function encodeSegment(
  { value, slashes }: { value: string; slashes: boolean },
  before: string,
  is_only: boolean,
): string | { error: string } {
  if (!value.isWellFormed()) return { error: 'must be valid Unicode' };
  if (before === '') return checkPrefix(value, is_only);
  if (value === '') return before.includes('?') ? '' : { error: 'must not be empty: it is part of the address' };
  if (!/^https?:\/\/[^/?]*[/?]/.test(before))
    return HOST.test(value) ? value : { error: 'must be a host name: it is part of the host' };
  if (!slashes) return encodeURIComponent(value);
  const steps = value.split('/');
  if (steps.includes('')) return { error: 'must not begin or end with /, nor have two of them in a row' };
  if (steps.some((one) => DOTS.test(one))) return { error: OTHER_ADDRESS };
  return steps.map(encodeURIComponent).join('/');
}

/** Checks the beginning of an address and removes its trailing slashes. Only a complete address may have a query. */
function checkPrefix(value: string, is_only: boolean): string | { error: string } {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  if (!parsed || !/^https?:\/\//i.test(value))
    return { error: 'must be an address that begins with https:// or http://' };
  if (parsed.username !== '' || parsed.password !== '')
    return { error: 'must not contain a username or password: use a credential' };
  if (/[\s\\{}#]|\p{Cc}/u.test(value)) return { error: 'must not contain spaces, \\, {, } or #' };
  if (!is_only && value.includes('?')) return { error: 'must not contain a query: a path follows it' };
  return is_only ? value : value.replace(/\/+$/, '');
}

/** Validates the finished URL. An address that the caller gave as a whole is not searched for dot segments. */
function validateUrl(url: string, is_only: boolean): string | undefined {
  if (url.length > MAX_CHARACTERS) return `results in an address of more than ${MAX_CHARACTERS} characters`;
  const [path = ''] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  const segments = path.split('/').slice(1);
  if (!is_only && segments.some((one) => DOTS.test(one))) return OTHER_ADDRESS;
  return URL.canParse(url.replaceAll(CREDENTIAL_PLACEHOLDER, 'x')) ? undefined : 'does not result in a valid address';
}
