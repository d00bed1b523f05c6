import { createHmac, timingSafeEqual } from 'node:crypto';

/** A person has so long at the issuer. */
const WAY_MS = 600_000;

/** Somebody who is on the way to the issuer and back. */
export interface Way {
  state: string;
  nonce: string;
  verifier: string;
  /** Where the person goes on. */
  to: string;
}

/** What a browser's cookie holds: 256 random bits, of which everything is made that must come back with it. */
export const isBrowserSecret = (text: string | undefined): text is string => /^[\w-]{43}$/.test(text ?? '');

const made = (secret: string, purpose: string, text: string): string =>
  createHmac('sha256', secret).update(`${purpose}\n${text}`).digest('base64url');

/**
 * Nothing is stored here: state, nonce and verifier come from a secret that only this browser has, so nobody can fill a
 * table, and an answer in another browser fits nothing.
 */
export function beginWay(secret: string, random: Buffer, now: number, to: string): Way {
  const note = Buffer.from(JSON.stringify([now, random.toString('base64url'), to])).toString('base64url');
  return wayOf(secret, note, to);
}

const wayOf = (secret: string, note: string, to: string): Way => ({
  state: `${note}.${made(secret, 'state', note)}`,
  nonce: made(secret, 'nonce', note),
  verifier: made(secret, 'verifier', note),
  to,
});

/** The way of a state that this browser took with it; otherwise why it is none. */
export function findWay(secret: string | undefined, state: string | undefined, now: number): Way | 'foreign' | 'late' {
  const [note = '', mark = ''] = (state ?? '').split('.');
  if (!isBrowserSecret(secret) || !isMark(mark, made(secret, 'state', note))) return 'foreign';
  const [at, , to] = JSON.parse(Buffer.from(note, 'base64url').toString()) as [number, string, string];
  return at + WAY_MS < now ? 'late' : wayOf(secret, note, to);
}

function isMark(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
