import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { SealedPlace } from '../../../kernel/contracts/index.ts';

/** First byte of every blob. Another cipher or layout gets another number; old blobs stay readable. */
export const FORMAT = 1;
export const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
/** Format and key version. */
const HEAD_BYTES = 1 + 4;
/** Bytes that a blob is longer than its plain text: format, key version, nonce and tag. */
export const OVERHEAD_BYTES = HEAD_BYTES + NONCE_BYTES + TAG_BYTES;
const TAG = { authTagLength: TAG_BYTES };

/** Every part is prefixed with its length, so that two lists of parts never give the same bytes. */
export function lengthPrefixed(parts: readonly string[]): Buffer {
  const all = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + 4 + Buffer.byteLength(part), 0));
  let at = 0;
  for (const part of parts) {
    const length = all.write(part, at + 4);
    at = all.writeUInt32BE(length, at) + length;
  }
  return all;
}

export function placeAad(place: SealedPlace, key_version: number): Buffer {
  const { table, org_id, project_id, kind, name, field } = place;
  return lengthPrefixed([table, org_id, project_id, kind, name, field, String(key_version)]);
}

/** Passing key bytes makes Node create a key object each time, which costs more than encrypting a short value. */
const keyObjects = new WeakMap<Buffer, KeyObject>();

function keyObjectOf(key: Buffer): KeyObject {
  const made = keyObjects.get(key) ?? createSecretKey(key);
  keyObjects.set(key, made);
  return made;
}

/** `format | key version | nonce | ciphertext | tag`, AES-256-GCM. `nonce` must never repeat under one key. */
export function encrypt(key: Buffer, key_version: number, nonce: Buffer, aad: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', keyObjectOf(key), nonce, TAG);
  cipher.setAAD(aad);
  const blob = Buffer.allocUnsafe(OVERHEAD_BYTES + plain.length);
  blob.writeUInt8(FORMAT);
  blob.writeUInt32BE(key_version, 1);
  nonce.copy(blob, HEAD_BYTES);
  // GCM encrypts as it goes: `final` adds nothing but the tag.
  cipher.update(plain).copy(blob, HEAD_BYTES + NONCE_BYTES);
  cipher.final();
  cipher.getAuthTag().copy(blob, blob.length - TAG_BYTES);
  return blob;
}

/** The key version that a blob names; undefined when it is not a sealed blob. */
export function keyVersionOf(blob: Buffer): number | undefined {
  if (blob.length < OVERHEAD_BYTES || blob[0] !== FORMAT) return undefined;
  return blob.readUInt32BE(1);
}

/** The plain text; undefined when the blob, the place or the key does not match. */
export function decrypt(key: Buffer, aad: Buffer, blob: Buffer): Buffer | undefined {
  if (keyVersionOf(blob) === undefined) return undefined;
  const nonce = blob.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', keyObjectOf(key), nonce, TAG);
  decipher.setAAD(aad);
  decipher.setAuthTag(blob.subarray(-TAG_BYTES));
  // All of it: `final` only checks the tag.
  const plain = decipher.update(blob.subarray(HEAD_BYTES + NONCE_BYTES, -TAG_BYTES));
  try {
    decipher.final();
    return plain;
  } catch {
    // The tag did not match. final() of a GCM decipher has no other failure. The caller names the error.
    return undefined;
  }
}
