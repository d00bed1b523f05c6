import { createHmac, timingSafeEqual } from 'node:crypto';

/** How long a person may take at the issuer. */
const REQUEST_TTL_MS = 600_000;

/** A sign-in in progress: an authorization request, and where to go afterwards. */
export interface AuthorizationRequest {
  state: string;
  nonce: string;
  verifier: string;
  /** The path to go to after signing in. */
  return_path: string;
}

/** Matches the value of the browser's cookie: 256 random bits, from which state, nonce and verifier are derived. */
export const isBrowserSecret = (text: string | undefined): text is string => /^[\w-]{43}$/.test(text ?? '');

const deriveValue = (secret: string, purpose: string, text: string): string =>
  createHmac('sha256', secret).update(`${purpose}\n${text}`).digest('base64url');

/**
 * Begins a sign-in. The server stores nothing: state, nonce and verifier are derived from a secret that only this browser has, so
 * nobody can fill a table, and an answer does not match in another browser.
 */
export function createAuthorizationRequest(
  secret: string,
  random: Buffer,
  now: number,
  to: string,
): AuthorizationRequest {
  const note = Buffer.from(JSON.stringify([now, random.toString('base64url'), to])).toString('base64url');
  return fromNote(secret, note, to);
}

const fromNote = (secret: string, note: string, to: string): AuthorizationRequest => ({
  state: `${note}.${deriveValue(secret, 'state', note)}`,
  nonce: deriveValue(secret, 'nonce', note),
  verifier: deriveValue(secret, 'verifier', note),
  return_path: to,
});

/** Restores the sign-in from the state that came back, or returns why this browser cannot finish it. */
export function verifyState(
  secret: string | undefined,
  state: string | undefined,
  now: number,
): AuthorizationRequest | 'foreign' | 'late' {
  const [note = '', tag = ''] = (state ?? '').split('.');
  if (!isBrowserSecret(secret) || !isEqualTag(tag, deriveValue(secret, 'state', note))) return 'foreign';
  const [at, , to] = JSON.parse(Buffer.from(note, 'base64url').toString()) as [number, string, string];
  return at + REQUEST_TTL_MS < now ? 'late' : fromNote(secret, note, to);
}

function isEqualTag(actual: string, expected: string): boolean {
  const actual_bytes = Buffer.from(actual);
  const expected_bytes = Buffer.from(expected);
  return actual_bytes.length === expected_bytes.length && timingSafeEqual(actual_bytes, expected_bytes);
}
