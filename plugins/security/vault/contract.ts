import { type Queries, token } from '../../../kernel/contracts/index.ts';

/** Identifies a master key. It is of no use without the key. */
export interface KeyProof {
  master_id: string;
  check_value: Buffer;
}

/** Master keys, for code that handles a database that is not open. */
export interface MasterKeys {
  /** Returns the proofs of the master keys of a database: two while the key is being changed. */
  proofs(on: Pick<Queries, 'read'>): Promise<KeyProof[]>;
  /**
   * Loads the master key of this process as a server does, but never creates one. Throws `master_key_missing`,
   * `master_key_invalid`, `master_key_exposed`, and `master_key_wrong` when it matches none of the proofs.
   */
  assertOpens(proofs: readonly KeyProof[]): Promise<void>;
}

export const MasterKeys = token<MasterKeys>('vault.MasterKeys');
