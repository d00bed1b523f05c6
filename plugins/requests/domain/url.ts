import { CREDENTIAL_HOLE } from '../contract.ts';

/** A text that stands for the token when the URL is looked at. */
const STAND_IN = 'x';

/** Why a request cannot go to a URL; undefined when it can. */
export function urlFault(url: string): string | undefined {
  const filled = url.replaceAll(CREDENTIAL_HOLE, STAND_IN);
  if (!URL.canParse(filled)) return 'is not a complete URL, such as https://api.example.org/v1/items';
  const { protocol, username, password, origin } = new URL(filled);
  if (protocol !== 'http:' && protocol !== 'https:') return 'must begin with http: or https:';
  if (username !== '' || password !== '') return 'must not contain a user or a password; name a credential';
  const other = url.replaceAll(CREDENTIAL_HOLE, `${STAND_IN}${STAND_IN}`);
  if (!URL.canParse(other) || new URL(other).origin !== origin)
    return `must have ${CREDENTIAL_HOLE} in its path or query`;
  return undefined;
}

/**
 * Puts the token in its place: as it is in the path, but for characters that would end the path, and encoded in the query.
 */
export function withToken(url: string, token: string): string {
  const query = url.indexOf('?');
  const [path, rest] = query < 0 ? [url, ''] : [url.slice(0, query), url.slice(query)];
  const inPath = token.replace(/[?#\\]/g, encodeURIComponent);
  return (
    path.replaceAll(CREDENTIAL_HOLE, () => inPath) + rest.replaceAll(CREDENTIAL_HOLE, () => encodeURIComponent(token))
  );
}

type Scalar = string | number | boolean;
type Query = { readonly [name: string]: Scalar | readonly Scalar[] | null };

/** The URL with further members of its query. */
export function withQuery(url: string, query: Query = {}): string {
  const more = formOf(query);
  if (more === '') return url;
  const hash = url.indexOf('#');
  const base = hash < 0 ? url : url.slice(0, hash);
  const joint = !base.includes('?') ? '?' : /[?&]$/.test(base) ? '' : '&';
  return base + joint + more;
}

/** Scalars and lists of scalars as a form; null is left out. */
export function formOf(members: Query): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(members))
    for (const one of [value].flat()) if (one !== null) form.append(name, String(one));
  return form.toString();
}
