import type { Hook, SignatureSection } from '../../../../../cli/generated/api.ts';

/** How a delivery proves itself: by the secret itself in a header, or by an HMAC over what is sent. */
export type Proof =
  | { token: { header: string; prefix?: string } }
  | { signature: Pick<SignatureSection, 'header' | 'algorithm' | 'encoding'> & Partial<SignatureSection> };

export interface Delivery {
  secret: string;
  body: string;
  id: string;
  now: number;
}

/** Algorithms of which the sender's half is a shared secret; a page has no private key for the others. */
const HASHES: Readonly<Record<string, string>> = { sha256: 'SHA-256', sha1: 'SHA-1', sha512: 'SHA-512' };

export const canSign = (proof: Proof): boolean => 'token' in proof || Object.hasOwn(HASHES, proof.signature.algorithm);

/** The proof of a hook that no connector describes. */
export function proofOfHook({ mode, hmac }: Pick<Hook, 'mode' | 'hmac'>): Proof | undefined {
  if (mode === 'token') return { token: { header: 'X-Svc-Hook-Secret' } };
  return hmac && { signature: hmac };
}

/** The headers that prove a delivery, as the sender would make them. */
export async function proofHeaders(proof: Proof, delivery: Delivery): Promise<Record<string, string>> {
  const { secret, body, id, now } = delivery;
  if ('token' in proof) return { [proof.token.header]: `${proof.token.prefix ?? ''}${secret}` };
  const {
    header,
    algorithm,
    encoding,
    prefix = '',
    parts,
    signs = '{body}',
    timestamp_header,
    timestamp_unit,
  } = proof.signature;
  const timestamp = String(timestamp_unit === 'ms' ? now : Math.floor(now / 1000));
  const signed = signs.replace(/\{(body|timestamp|id)\}/g, (_, name: string) => ({ body, timestamp, id })[name] ?? '');
  const signature = await hmac(HASHES[algorithm]!, keyBytes(secret, proof.signature.key), signed, encoding);
  const value = parts
    ? [parts.timestamp && `${parts.timestamp}=${timestamp}`, `${parts.signature}=${prefix}${signature}`]
        .filter(Boolean)
        .join(parts.separator ?? ',')
    : `${prefix}${signature}`;
  return { [header]: value, ...(timestamp_header !== undefined && { [timestamp_header]: timestamp }) };
}

function keyBytes(secret: string, form: SignatureSection['key']): Uint8Array<ArrayBuffer> {
  if (!form) return new TextEncoder().encode(secret);
  const text = form.prefix !== undefined && secret.startsWith(form.prefix) ? secret.slice(form.prefix.length) : secret;
  if (form.encoding === 'base64') return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  if (form.encoding === 'hex') return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return new TextEncoder().encode(text);
}

async function hmac(
  hash: string,
  key: Uint8Array<ArrayBuffer>,
  text: string,
  encoding: SignatureSection['encoding'],
): Promise<string> {
  // Browsers sign only on pages that came over HTTPS, or from the same machine.
  if (!globalThis.crypto?.subtle)
    throw new Error(
      'This browser can sign only on pages served over HTTPS. Open the console there, or use the command.',
    );
  const { subtle } = globalThis.crypto;
  const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash }, false, ['sign']);
  const bytes = [...new Uint8Array(await subtle.sign('HMAC', imported, new TextEncoder().encode(text)))];
  if (encoding === 'base64') return btoa(String.fromCharCode(...bytes));
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
