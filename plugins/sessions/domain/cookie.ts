import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export const SESSION_COOKIE = 'svc_session';

const PART_BYTES = 32;
const VALUE = /^([\w-]{43})\.([\w-]{43})$/;

/** A cookie of a session: a part that stays, from which the CSRF token is made, and one that is replaced. */
export interface CookieValue {
  lasting: string;
  whole: string;
}

/** Undefined for a text that no server of this kind has given. */
export function readCookie(text: string | undefined): CookieValue | undefined {
  const [, lasting] = VALUE.exec(text ?? '') ?? [];
  return lasting === undefined ? undefined : { lasting, whole: text! };
}

/** A new value; of the same session when `lasting` is given. */
export function makeCookie(bytes: (count: number) => Buffer, lasting?: string): CookieValue {
  const stays = lasting ?? bytes(PART_BYTES).toString('base64url');
  return { lasting: stays, whole: `${stays}.${bytes(PART_BYTES).toString('base64url')}` };
}

/** 256 random bits need no salt. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The same for every cookie of a session, so that it is stored nowhere. */
export const csrfOf = ({ lasting }: CookieValue): string =>
  createHmac('sha256', lasting).update('svc csrf').digest('base64url');

/** Takes the same time for every text. */
export function isCsrf(text: string | undefined, value: CookieValue): boolean {
  const [given, right] = [text ?? '', csrfOf(value)].map((one) => createHash('sha256').update(one).digest());
  return timingSafeEqual(given!, right!);
}
