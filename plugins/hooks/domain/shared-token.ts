import { hash, timingSafeEqual } from 'node:crypto';

/** 256 random bits, so that its plain digest cannot be searched. */
export const TOKEN_BYTES = 32;

export const digestOf = (token: string): string => hash('sha256', token, 'hex');

/** A digest that no token has, for unknown addresses. */
export const NOBODYS_DIGEST = '0'.repeat(64);

/** Compares in constant time, whatever was given. */
export const sameToken = (given: string, digest: string): boolean =>
  timingSafeEqual(Buffer.from(digestOf(given)), Buffer.from(digest));
