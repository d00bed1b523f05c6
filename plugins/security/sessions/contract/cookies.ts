import type { HttpRequest } from '../../../../kernel/contracts/index.ts';

/** Returns the name of a cookie. With the prefix, only this host can set it, and only over TLS. */
export const cookieName = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name);

/** Returns the value of a cookie; undefined when the request has none of that name. */
export function cookieNamed(name: string, { headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Formats a cookie. It is `Lax` because people return from other sites, and `HttpOnly` so that no script reads it. */
export const setCookie = (name: string, value: string, max_age_ms: number, secure: boolean): string =>
  `${name}=${value}; Path=/; Max-Age=${Math.max(0, Math.floor(max_age_ms / 1000))}; HttpOnly; SameSite=Lax` +
  (secure ? '; Secure' : '');
