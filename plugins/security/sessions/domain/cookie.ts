import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export const SESSION_COOKIE = 'svc_session';

const SECRET_BYTES = 32;
const VALUE = /^([\w-]{43})\.([\w-]{43})$/;

/** A cookie of a session: a part that never changes, from which the CSRF token is derived, and a part that is rotated. */
export interface CookieValue {
  lasting: string;
  full_value: string;
}

/** Parses a cookie; undefined when it does not have our format. */
export function readCookie(text: string | undefined): CookieValue | undefined {
  const [, lasting] = VALUE.exec(text ?? '') ?? [];
  return lasting === undefined ? undefined : { lasting, full_value: text! };
}

/** Makes a new value. With `lasting`, it belongs to the same session. */
export function makeCookie(bytes: (count: number) => Buffer, lasting?: string): CookieValue {
  const lasting_value = lasting ?? bytes(SECRET_BYTES).toString('base64url');
  return { lasting: lasting_value, full_value: `${lasting_value}.${bytes(SECRET_BYTES).toString('base64url')}` };
}

/** Returns the SHA-256 of a value. 256 random bits need no salt. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Derives the CSRF token, which is the same for every cookie of a session and need not be stored. */
export const csrfOf = ({ lasting }: CookieValue): string =>
  createHmac('sha256', lasting).update('svc csrf').digest('base64url');

/** Compares a CSRF token in constant time. */
export function isCsrf(text: string | undefined, value: CookieValue): boolean {
  const digest = (csrf: string) => createHash('sha256').update(csrf).digest();
  return timingSafeEqual(digest(text ?? ''), digest(csrfOf(value)));
}
