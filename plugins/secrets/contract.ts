import { token } from '../../kernel/contracts/index.ts';

/** What a project keeps of a secret for everybody to see. */
export interface SecretEntry {
  secret_id: string;
  name: string;
  /** Epoch ms by the database's clock. */
  set_at: number;
}

/** A value of text, between `LEAST_CHARACTERS` and `MOST_BYTES`. */
export interface SecretValue extends SecretEntry {
  value: string;
}

/** Where a value is wanted. */
export interface SecretScope {
  org_id: string;
  project_id: string;
}

/** The secrets of projects, for plugins that put values in place. Nobody else is given one without an audit row. */
export interface Secrets {
  /** Every secret of the project, in order of its name. Throws `sealed_value_unreadable`. */
  valuesOf(scope: SecretScope): Promise<{ name: string; value: string }[]>;
}

export const Secrets = token<Secrets>('secrets.Secrets');
