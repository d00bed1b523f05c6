import { CREDENTIAL_PLACEHOLDER } from '../contract.ts';

/** Replaces the token while the URL is checked. */
const STAND_IN = 'x';

/** Explains why a request cannot go to a URL; undefined when it can. */
export function validateUrl(url: string): string | undefined {
  const filled = url.replaceAll(CREDENTIAL_PLACEHOLDER, STAND_IN);
  if (!URL.canParse(filled)) return 'is not a complete URL, such as https://api.example.org/v1/items';
  const { protocol, username, password, origin } = new URL(filled);
  if (protocol !== 'http:' && protocol !== 'https:') return 'must begin with http: or https:';
  if (username !== '' || password !== '') return 'must not contain a username or password; name a credential';
  const alternative = url.replaceAll(CREDENTIAL_PLACEHOLDER, `${STAND_IN}${STAND_IN}`);
  if (!URL.canParse(alternative) || new URL(alternative).origin !== origin)
    return `must have ${CREDENTIAL_PLACEHOLDER} in its path or query`;
  return undefined;
}

/** Inserts the token. In the path, only characters that would end the path are encoded; in the query, all are. */
export function withToken(url: string, token: string): string {
  const query = url.indexOf('?');
  const [path, rest] = query < 0 ? [url, ''] : [url.slice(0, query), url.slice(query)];
  const inPath = token.replace(/[?#\\]/g, encodeURIComponent);
  return (
    path.replaceAll(CREDENTIAL_PLACEHOLDER, () => inPath) +
    rest.replaceAll(CREDENTIAL_PLACEHOLDER, () => encodeURIComponent(token))
  );
}

type Scalar = string | number | boolean;
type Query = { readonly [name: string]: Scalar | readonly Scalar[] | null };

/** The URL with further members of its query. */
export function withQuery(url: string, query: Query = {}): string {
  const more = encodeForm(query);
  if (more === '') return url;
  const hash = url.indexOf('#');
  const base = hash < 0 ? url : url.slice(0, hash);
  const joint = !base.includes('?') ? '?' : /[?&]$/.test(base) ? '' : '&';
  return base + joint + more;
}

/** The URL without a parameter of its query. The rest, such as a place for a token, stays as it is. */
export function withoutParameter(url: string, name: string): string {
  const hash = url.indexOf('#');
  const base = hash < 0 ? url : url.slice(0, hash);
  const start = base.indexOf('?');
  if (start < 0) return base;
  const isOther = (pair: string) => pair !== '' && ![...new URLSearchParams(pair).keys()].includes(name);
  const remaining = base
    .slice(start + 1)
    .split('&')
    .filter(isOther);
  return remaining.length === 0 ? base.slice(0, start) : `${base.slice(0, start)}?${remaining.join('&')}`;
}

/** Encodes scalars and lists of scalars as a form. Null is left out. */
export function encodeForm(members: Query): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(members))
    for (const one of [value].flat()) if (one !== null) form.append(name, String(one));
  return form.toString();
}
