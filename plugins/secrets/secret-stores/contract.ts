import { type JsonSchema, type Queries, token } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../platform/resources/contract.ts';
import type { StoreReference } from './generated/store-reference.ts';
import reference from './schema/store-reference.schema.json' with { type: 'json' };

export type { StoreReference } from './generated/store-reference.ts';

const { $schema: _, ...schema } = reference;

/** The schema of a reference, for the bodies of plugins that take one. */
export const REFERENCE_SCHEMA: JsonSchema = schema;

export { formatReference } from './contract/format-reference.ts';

/** The values that a project keeps in secret stores of other systems. */
export interface SecretStores {
  /** Checks a reference before it is stored. Throws `invalid_request` or `secret_store_missing`. */
  check(on: Pick<Queries, 'read'>, scope: ProjectScope, reference: StoreReference): Promise<void>;
  /**
   * Returns the value of a reference as the store has it now, or had it within `SVC_SECRET_STORE_CACHE`. Never called for an
   * untrusted run. Throws `secret_store_unavailable` while the store does not answer, and the caller should try again then.
   * Throws `secret_store_missing`, `secret_store_refused` or `secret_store_no_value` when trying again will not help.
   * `validate` says what is wrong with a value, without a part of it; then it is none.
   */
  readValue(
    scope: ProjectScope,
    reference: StoreReference,
    validate?: (value: string) => string | undefined,
  ): Promise<string>;
}

export const SecretStores = token<SecretStores>('secret-stores.SecretStores');
