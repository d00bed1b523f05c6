import { hash } from 'node:crypto';

export type TokenKind = 'user' | 'agent';

const PREFIX: Readonly<Record<TokenKind, string>> = { user: 'svc_pat_', agent: 'svc_agt_' };
const TOKEN = /^svc_(?:pat|agt)_[A-Za-z0-9_-]{43}$/;
export const TOKEN_BYTES = 32;

/** The text of a token: its kind's prefix and 256 random bits in base64url. */
export function tokenText(kind: TokenKind, random: Buffer): string {
  return PREFIX[kind] + random.toString('base64url');
}

/** SHA-256 of the whole text; 256 random bits need no salt. */
export const tokenDigest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** The token of an Authorization header, or a sentence for the sender about what is wrong with the header. */
export function bearerToken(header: string | undefined): { token: string } | { fault: string } {
  if (header === undefined || header === '') return { fault: 'the Authorization header is missing' };
  const [scheme = '', ...rest] = header.trim().split(/ +/);
  if (scheme.toLowerCase() !== 'bearer')
    return { fault: 'the Authorization header must have the form `Bearer <token>`' };
  const token = rest.join(' ');
  if (!TOKEN.test(token))
    return { fault: 'the bearer token is not a token of svc: these begin with svc_pat_ or svc_agt_' };
  return { token };
}
