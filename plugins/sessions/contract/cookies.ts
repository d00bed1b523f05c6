import type { HttpRequest } from '../../../kernel/contracts/index.ts';

/** At an https address only this host, and only over TLS, can set a cookie of this name. */
export const cookieName = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name);

/** The value of a cookie; undefined when the request has none of that name. */
export function cookieNamed(name: string, { headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Lax: people come back from other sites. No script reads it. */
export const setCookie = (name: string, value: string, max_age_ms: number, secure: boolean): string =>
  `${name}=${value}; Path=/; Max-Age=${Math.max(0, Math.floor(max_age_ms / 1000))}; HttpOnly; SameSite=Lax` +
  (secure ? '; Secure' : '');
