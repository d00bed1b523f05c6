import { hkdfSync, timingSafeEqual } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES, lengthPrefixed } from './envelope.ts';

/** The keys that are derived from a master key. The master key itself is not kept. */
export interface MasterKey {
  /** Identifies the key in the database: 16 hex digits, derived from the key. */
  id: string;
  /** The key check value: it shows whether a key is right, and does not help to find it. */
  check: Buffer;
  /** Encrypts org keys. */
  wrapping: Buffer;
}

const derive = (key: Buffer, purpose: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `svc/vault/v1/${purpose}`, bytes));

/** Each purpose has its own derived key, so that the stored check reveals nothing about the wrapping key. */
export function masterKey(key: Buffer): MasterKey {
  return {
    id: derive(key, 'id', 8).toString('hex'),
    check: derive(key, 'check', 32),
    wrapping: derive(key, 'wrap', KEY_BYTES),
  };
}

/** Decodes 32 bytes from base64 or base64url and ignores white space around them; undefined for anything else. */
export function parseMasterKey(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) return undefined;
  const bytes = Buffer.from(trimmed, 'base64');
  return bytes.length === KEY_BYTES ? bytes : undefined;
}

export function isSameCheck(key: MasterKey, stored: Buffer): boolean {
  return stored.length === key.check.length && timingSafeEqual(stored, key.check);
}

const wrapAad = (master_id: string, org_id: string, version: number) =>
  lengthPrefixed(['vault_org_keys', org_id, String(version), master_id]);

/** Encrypts an org key with the master key, and binds it to its org and version. */
export function wrapOrgKey(master: MasterKey, org_id: string, version: number, nonce: Buffer, key: Buffer): Buffer {
  return encrypt(master.wrapping, version, nonce, wrapAad(master.id, org_id, version), key);
}

export function unwrapOrgKey(master: MasterKey, org_id: string, version: number, wrapped: Buffer): Buffer | undefined {
  return decrypt(master.wrapping, wrapAad(master.id, org_id, version), wrapped);
}
