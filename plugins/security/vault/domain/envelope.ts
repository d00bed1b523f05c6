import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { SealContext } from '../../../../kernel/contracts/index.ts';

/** The first byte of every blob. Another cipher or layout would get another number, and old blobs would stay readable. */
export const FORMAT = 1;
export const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
/** Format and key version. */
const HEAD_BYTES = 1 + 4;
/** How many bytes longer than its plaintext a blob is: format, key version, nonce and tag. */
export const OVERHEAD_BYTES = HEAD_BYTES + NONCE_BYTES + TAG_BYTES;
const TAG = { authTagLength: TAG_BYTES };

/** Prefixes every field with its length, so that different lists of fields never have the same bytes. */
export function lengthPrefixed(fields: readonly string[]): Buffer {
  const all = Buffer.allocUnsafe(fields.reduce((sum, field) => sum + 4 + Buffer.byteLength(field), 0));
  let at = 0;
  for (const field of fields) {
    const length = all.write(field, at + 4);
    at = all.writeUInt32BE(length, at) + length;
  }
  return all;
}

export function contextAad(context: SealContext, key_version: number): Buffer {
  const { table, org_id, project_id, kind, name, field } = context;
  return lengthPrefixed([table, org_id, project_id, kind, name, field, String(key_version)]);
}

/** Key objects are cached: given bytes, Node would create one each time, which costs more than encrypting a short value. */
const keyObjects = new WeakMap<Buffer, KeyObject>();

function keyObjectOf(key: Buffer): KeyObject {
  const made = keyObjects.get(key) ?? createSecretKey(key);
  keyObjects.set(key, made);
  return made;
}

/** Encrypts with AES-256-GCM into `format | key version | nonce | ciphertext | tag`. A nonce must never repeat under one key. */
export function encrypt(key: Buffer, key_version: number, nonce: Buffer, aad: Buffer, plaintext: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', keyObjectOf(key), nonce, TAG);
  cipher.setAAD(aad);
  const blob = Buffer.allocUnsafe(OVERHEAD_BYTES + plaintext.length);
  blob.writeUInt8(FORMAT);
  blob.writeUInt32BE(key_version, 1);
  nonce.copy(blob, HEAD_BYTES);
  // GCM encrypts as it goes: `final` adds nothing but the tag.
  cipher.update(plaintext).copy(blob, HEAD_BYTES + NONCE_BYTES);
  cipher.final();
  cipher.getAuthTag().copy(blob, blob.length - TAG_BYTES);
  return blob;
}

/** Returns the key version of a blob; undefined when it is not a sealed blob. */
export function keyVersionOf(blob: Buffer): number | undefined {
  if (blob.length < OVERHEAD_BYTES || blob[0] !== FORMAT) return undefined;
  return blob.readUInt32BE(1);
}

/** Decrypts a blob; undefined when the blob, its context or the key does not match. */
export function decrypt(key: Buffer, aad: Buffer, blob: Buffer): Buffer | undefined {
  if (keyVersionOf(blob) === undefined) return undefined;
  const nonce = blob.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', keyObjectOf(key), nonce, TAG);
  decipher.setAAD(aad);
  decipher.setAuthTag(blob.subarray(-TAG_BYTES));
  // This is all of the plaintext: `final` only checks the tag.
  const plaintext = decipher.update(blob.subarray(HEAD_BYTES + NONCE_BYTES, -TAG_BYTES));
  try {
    decipher.final();
    return plaintext;
  } catch {
    // The tag did not match; final() of a GCM decipher fails for no other reason. The caller throws the error.
    return undefined;
  }
}

/** The keys for digests. They are derived, because one key should not serve two algorithms. */
const digestKeys = new WeakMap<Buffer, KeyObject>();

function digestKeyOf(key: Buffer): KeyObject {
  const made =
    digestKeys.get(key) ??
    createSecretKey(Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'svc/vault/v1/digest', KEY_BYTES)));
  digestKeys.set(key, made);
  return made;
}

/** Digests a text with HMAC-SHA256, bound to a context as sealed values are. */
export const digestOf = (key: Buffer, aad: Buffer, text: string): string =>
  createHmac('sha256', digestKeyOf(key)).update(aad).update(text).digest('hex');
