import { createHash, generateKeyPair, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

/** What clouds accept: AWS, Google Cloud and Azure verify no other algorithm. */
export const ALGORITHM = 'RS256';
const MODULUS_BITS = 2048;

/** A public key as verifiers read it. */
export interface PublicKey {
  kty: 'RSA';
  use: 'sig';
  alg: typeof ALGORITHM;
  kid: string;
  n: string;
  e: string;
}

export interface NewKey {
  jwk: PublicKey;
  /** PKCS #8. */
  private_key: Buffer;
}

const generate = promisify(generateKeyPair);
const signAsync = promisify(sign) as (algorithm: string, data: Buffer, key: KeyObject) => Promise<Buffer>;

export async function generateKey(): Promise<NewKey> {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: MODULUS_BITS });
  const { n, e } = publicKey.export({ format: 'jwk' }) as Required<Pick<JsonWebKey, 'n' | 'e'>>;
  const jwk = { kty: 'RSA', use: 'sig', alg: ALGORITHM, kid: thumbprint(n, e), n, e } as const;
  return { jwk, private_key: privateKey.export({ format: 'der', type: 'pkcs8' }) };
}

/** The name of a key follows from the key (RFC 7638), so two keys never share one. */
const thumbprint = (n: string, e: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url');

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs outside of the event loop. */
export async function signToken(
  key: { kid: string; private_key: KeyObject },
  claims: Readonly<Record<string, unknown>>,
): Promise<{ token: string; signature: string }> {
  const content = `${encode({ alg: ALGORITHM, typ: 'JWT', kid: key.kid })}.${encode(claims)}`;
  const signature = (await signAsync('RSA-SHA256', Buffer.from(content), key.private_key)).toString('base64url');
  return { token: `${content}.${signature}`, signature };
}
