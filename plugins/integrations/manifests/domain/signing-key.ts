import { createPublicKey, type KeyObject } from 'node:crypto';
import type { HookSection, SignatureSection } from '../generated/connector-manifest.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const HEX = /^(?:[0-9A-Fa-f]{2})*$/;

/** Shorter ones can be guessed. */
const MIN_SHARED_BYTES = 8;
const BLANK: ReadonlySet<number> = new Set([0x00, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20]);

const READERS = {
  text: (text: string) => Buffer.from(text, 'utf8'),
  base64: (text: string) => (BASE64.test(text) ? Buffer.from(text, 'base64') : undefined),
  hex: (text: string) => (HEX.test(text) ? Buffer.from(text, 'hex') : undefined),
} as const;

type KeyType = Extract<SignatureSection['algorithm'], 'ecdsa-sha256' | 'ed25519'>;

/** The DER prefix of a 32-byte Ed25519 key (RFC 8410). */
const ED25519_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const TYPES: Record<KeyType, string> = { 'ecdsa-sha256': 'ec', ed25519: 'ed25519' };

/** The bytes of a key in the encoding of its section; undefined for another encoding. May be empty. */
export function readKey({ signature }: HookSection, key: string): Buffer | undefined {
  const { prefix = '', encoding = 'text' } = signature?.key ?? {};
  return READERS[encoding](prefix !== '' && key.startsWith(prefix) ? key.slice(prefix.length) : key);
}

/** Reads a sender's public key from DER, or from the 32 bytes of Ed25519. Returns undefined for anything else. */
export function publicKey(algorithm: KeyType, bytes: Buffer): KeyObject | undefined {
  const bare = algorithm === 'ed25519' && bytes.length === 32;
  try {
    const key = createPublicKey({
      key: bare ? Buffer.concat([ED25519_HEAD, bytes]) : bytes,
      format: 'der',
      type: 'spki',
    });
    return key.asymmetricKeyType === TYPES[algorithm] ? key : undefined;
  } catch {
    // Whatever OpenSSL reports, the bytes are not a key.
    return undefined;
  }
}

/** Explains why a text is not a valid key for this section, without repeating any of it. */
export function validateKey(section: HookSection, key: string): string | undefined {
  if (key === '') return 'must not be empty';
  if (!key.isWellFormed()) return 'must be valid Unicode';
  const { algorithm, key: { prefix, encoding = 'text' } = {} } = section.signature ?? {};
  const bytes = readKey(section, key);
  const form = prefix ? `${encoding}, with or without ${prefix} before it` : encoding;
  if (bytes === undefined) return `must be ${form}`;
  if (bytes.length === 0) return 'must not be empty';
  if ((algorithm === 'ecdsa-sha256' || algorithm === 'ed25519') && publicKey(algorithm, bytes) === undefined)
    return `must be the sender's public key for ${algorithm} (${form})`;
  return algorithm === 'ecdsa-sha256' || algorithm === 'ed25519' ? undefined : validateSharedKey(bytes);
}

/** HMAC pads a short key with zeros, so a key of zeros alone equals no key. */
function validateSharedKey(key: Buffer): string | undefined {
  if (key.length < MIN_SHARED_BYTES) return `must have at least ${MIN_SHARED_BYTES} bytes`;
  if (key.every((byte) => BLANK.has(byte))) return 'must not consist only of spaces or zeros';
  return undefined;
}
