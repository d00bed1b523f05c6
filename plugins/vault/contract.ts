import { type Queries, token } from '../../kernel/contracts/index.ts';

/** Tells one master key from others, and is of no use without it. */
export interface KeyProof {
  master_id: string;
  check_value: Buffer;
}

/** For those who handle a database that is not open. */
export interface MasterKeys {
  /** Of the master keys that open what is in a database: two while the key is being changed. */
  proofs(on: Pick<Queries, 'read'>): Promise<KeyProof[]>;
  /**
   * Looks for the master key of this process as a server does, and makes none. Throws `master_key_missing`,
   * `master_key_invalid`, `master_key_exposed`, and `master_key_wrong` when it is none of these.
   */
  assertOpens(proofs: readonly KeyProof[]): Promise<void>;
}

export const MasterKeys = token<MasterKeys>('vault.MasterKeys');
