import { hash, timingSafeEqual } from 'node:crypto';

/** 256 bits of chance, so that a plain digest of it cannot be searched. */
export const TOKEN_BYTES = 32;

export const digestOf = (token: string): string => hash('sha256', token, 'hex');

/** What no token has, for addresses that no hook has. */
export const NOBODYS_DIGEST = '0'.repeat(64);

/** In constant time, whatever was given. */
export const sameToken = (given: string, digest: string): boolean =>
  timingSafeEqual(Buffer.from(digestOf(given)), Buffer.from(digest));
