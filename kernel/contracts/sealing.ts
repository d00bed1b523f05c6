import { token } from './tokens.ts';

/** The place of a sealed value. A blob that was moved to another place does not open. */
export interface SealedPlace {
  org_id: string;
  project_id: string;
  table: string;
  kind: string;
  name: string;
  field: string;
}

/**
 * Envelope encryption at rest. Keys belong to an org, have versions and are wrapped by the master key. Blob: `format |
 * org key version | nonce | ciphertext | tag`.
 */
export interface Sealer {
  /** Loads an org's keys into memory; `seal` and `open` for that org are then synchronous. */
  prepare(org_id: string): Promise<void>;
  seal(place: SealedPlace, plain: Buffer): Buffer;
  /** Throws `sealed_value_unreadable` when the blob was altered, moved or sealed with another key. */
  open(place: SealedPlace, blob: Buffer): Buffer;
}

export const Sealer = token<Sealer>('kernel.Sealer');
