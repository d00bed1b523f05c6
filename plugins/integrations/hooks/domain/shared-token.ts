import { hash, timingSafeEqual } from 'node:crypto';

/** 256 random bits, so that its plain digest cannot be searched. */
export const TOKEN_BYTES = 32;

export const tokenDigest = (token: string): string => hash('sha256', token, 'hex');

/** A digest that no token has, for unknown addresses. */
export const UNUSED_DIGEST = '0'.repeat(64);

/** Compares in constant time, even for malformed input. */
export const isSameToken = (token: string, digest: string): boolean =>
  timingSafeEqual(Buffer.from(tokenDigest(token)), Buffer.from(digest));
