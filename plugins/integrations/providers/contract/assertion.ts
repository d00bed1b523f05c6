import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

/** The algorithms of assertions (RFC 7518, RFC 8037), by what Node signs with. */
const ALGORITHMS = {
  RS256: { type: 'rsa', digest: 'sha256' },
  RS384: { type: 'rsa', digest: 'sha384' },
  RS512: { type: 'rsa', digest: 'sha512' },
  ES256: { type: 'ec', digest: 'sha256', curve: 'prime256v1' },
  ES384: { type: 'ec', digest: 'sha384', curve: 'secp384r1' },
  ES512: { type: 'ec', digest: 'sha512', curve: 'secp521r1' },
  EdDSA: { type: 'ed25519', digest: null },
} as const satisfies Record<string, { type: string; digest: string | null; curve?: string }>;

export type AssertionAlgorithm = keyof typeof ALGORITHMS;

/** Keys below this are broken; keys above it take a second of a processor for each signature. */
const RSA_BITS = { min: 2048, max: 8192 };

export interface AssertionKey {
  key: KeyObject;
  algorithm: AssertionAlgorithm;
}

/**
 * Reads a private key (PEM) for an algorithm, by default the usual one of its type. Returns why it cannot sign, without
 * any part of the key.
 */
export function readAssertionKey(pem: string, requested?: AssertionAlgorithm): AssertionKey | { error: string } {
  const key = parsePrivateKey(pem);
  if (key === undefined)
    return { error: 'is not a private key in PEM (PKCS #8, PKCS #1 or SEC 1) without a passphrase' };
  const { modulusLength = RSA_BITS.min, namedCurve } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < RSA_BITS.min || modulusLength > RSA_BITS.max)
    return { error: `has ${modulusLength} bits; an RSA key needs ${RSA_BITS.min} to ${RSA_BITS.max}` };
  const fits = (name: AssertionAlgorithm): boolean => {
    const { type, curve }: { type: string; curve?: string } = ALGORITHMS[name];
    return type === key.asymmetricKeyType && (curve === undefined || curve === namedCurve);
  };
  const usual = (Object.keys(ALGORITHMS) as AssertionAlgorithm[]).find(fits);
  if (usual === undefined) return { error: 'is neither an RSA key, an EC key of P-256, P-384 or P-521, nor Ed25519' };
  if (requested !== undefined && !fits(requested))
    return { error: `cannot sign with ${requested}; with this key use ${usual}` };
  return { key, algorithm: requested ?? usual };
}

function parsePrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

const signAsync = promisify(sign) as (
  digest: string | null,
  data: Buffer,
  key: { key: KeyObject; dsaEncoding: 'ieee-p1363' },
) => Promise<Buffer>;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs an assertion (RFC 7523) outside of the event loop. */
export async function signAssertion(
  { key, algorithm }: AssertionKey,
  key_id: string | undefined,
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  const header = { alg: algorithm, typ: 'JWT', ...(key_id === undefined ? {} : { kid: key_id }) };
  const content = `${encode(header)}.${encode(claims)}`;
  const { digest } = ALGORITHMS[algorithm];
  const signature = await signAsync(digest, Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
  return `${content}.${signature.toString('base64url')}`;
}
