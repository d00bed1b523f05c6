import { hash } from 'node:crypto';

export type TokenKind = 'user' | 'agent';

const PREFIX: Readonly<Record<TokenKind, string>> = { user: 'svc_pat_', agent: 'svc_agt_' };
const TOKEN = /^svc_(?:pat|agt)_[A-Za-z0-9_-]{43}$/;
export const TOKEN_BYTES = 32;

/** Makes the text of a token: the prefix of its kind and 256 random bits in base64url. */
export function tokenText(kind: TokenKind, random: Buffer): string {
  return PREFIX[kind] + random.toString('base64url');
}

/** Returns the SHA-256 of the whole text. 256 random bits need no salt. */
export const tokenDigest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Reads the token from an Authorization header, or returns a sentence for the caller about what is wrong with the header. */
export function bearerToken(header: string | undefined): { token: string } | { error: string } {
  if (header === undefined || header === '') return { error: 'the Authorization header is missing' };
  const [scheme = '', ...rest] = header.trim().split(/ +/);
  if (scheme.toLowerCase() !== 'bearer')
    return { error: 'the Authorization header must have the form `Bearer <token>`' };
  const token = rest.join(' ');
  if (!TOKEN.test(token))
    return { error: 'the bearer token is not an svc token: svc tokens begin with svc_pat_ or svc_agt_' };
  return { token };
}
