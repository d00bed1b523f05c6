import { token } from './tokens.ts';

/** What a sealed value is bound to. A blob that was copied to another row, column or project does not open. */
export interface SealContext {
  org_id: string;
  project_id: string;
  table: string;
  kind: string;
  name: string;
  field: string;
}

export interface KeyedDigest {
  /** 64 hexadecimal digits. */
  hex: string;
  key_version: number;
}

/**
 * Envelope encryption at rest. Each org has versioned keys, which the master key wraps. A blob consists of `format | org key
 * version | nonce | ciphertext | tag`.
 */
export interface Sealer {
  /** Loads an org's keys into memory. Call it before `seal` and `open`, which are synchronous. */
  prepare(org_id: string): Promise<void>;
  seal(context: SealContext, plaintext: Buffer): Buffer;
  /** Throws `sealed_value_unreadable` when the blob was altered, copied elsewhere, or sealed with another key. */
  open(context: SealContext, blob: Buffer): Buffer;
  /**
   * Makes digests by which equal texts of a column are found. Whoever does not have the org's keys learns nothing from them, not even
   * by guessing texts. Digests are comparable only if they were made with the same version of the key. Throws
   * `sealed_value_unreadable` when this process does not have that version.
   */
  digest(context: Omit<SealContext, 'name'>, text: string, key_version?: number): KeyedDigest;
}

export const Sealer = token<Sealer>('kernel.Sealer');
