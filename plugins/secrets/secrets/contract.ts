import { token } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../platform/resources/contract.ts';

/** The secrets of projects, for plugins that pass them to jobs. Every other read of a secret writes an audit entry. */
export interface Secrets {
  /** Returns every secret of the project, sorted by name. Throws `sealed_value_unreadable`. */
  valuesOf(scope: ProjectScope): Promise<{ name: string; value: string }[]>;
  /**
   * Returns the values with which a text that people store is compared. Leaves out those that no run can have either, because
   * their secret store is gone, rejects svc or has no such value. Throws `sealed_value_unreadable`, and
   * `secret_store_unavailable` while a store does not answer.
   */
  comparableValues(scope: ProjectScope): Promise<string[]>;
  /** Returns the names of the secrets, sorted, without opening any. */
  namesOf(scope: ProjectScope): Promise<string[]>;
}

export const Secrets = token<Secrets>('secrets.Secrets');
