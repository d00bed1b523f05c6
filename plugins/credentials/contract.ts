import type { Queries } from '../../kernel/contracts/index.ts';
import { extensionPoint, token } from '../../kernel/contracts/index.ts';

/** Spelled as in manifests and reports; the command line writes `api-key` and `url-token`. */
export const CREDENTIAL_KINDS = ['bearer', 'api_key', 'basic', 'url_token'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** What each kind stores. `header` is a name that HTTP allows callers to set; no member holds CR, LF or NUL. */
export type CredentialFields =
  | { kind: 'bearer'; token: string }
  | { kind: 'api_key'; header: string; value: string }
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'url_token'; token: string };

/** The one text of a credential that a variable gets, and what else of it must be masked. */
export interface RawSecret {
  value: string;
  masks: string[];
}

export interface CredentialScope {
  org_id: string;
  project_id: string;
}

/** Who may hold a name: credentials, or connected accounts. */
export type Holder = 'credential' | 'account';

/**
 * The names that credentials and accounts share (invariant I15): one row a name, whoever holds it. Both sides take
 * the row in the transaction that makes theirs, before they touch a table of their own.
 */
export interface CredentialNames {
  /** True when it was free, false when this holder has it. Throws `name_conflict` when the other side has. */
  take(tx: Queries, scope: CredentialScope, name: string, holder: Holder): Promise<boolean>;
  /** Frees the name; false when this holder does not have it. */
  release(tx: Queries, scope: CredentialScope, name: string, holder: Holder): Promise<boolean>;
  /** Who holds these names; absent ones are left out. */
  holders(on: Pick<Queries, 'read'>, scope: CredentialScope, names: readonly string[]): Promise<Map<string, Holder>>;
}

export const CredentialNames = token<CredentialNames>('credentials.CredentialNames');

/** Gives the values of the names that it holds. */
export interface NameHolder {
  holder: Holder;
  /** Throws `credential_missing` when it has gone, and what else keeps it from being used. */
  raw(scope: CredentialScope, name: string): Promise<RawSecret>;
}

export const NameHolders = extensionPoint<NameHolder>('credentials.NameHolders', { key: ({ holder }) => holder });

/** Credentials by name, for whoever puts them in place. Never for an untrusted run: its caller has seen to that. */
export interface Credentials {
  /** The fields of a stored credential; undefined when there is none of that name. */
  fields(scope: CredentialScope, name: string): Promise<CredentialFields | undefined>;
  /** What a variable gets, from a credential or an account. Throws `credential_missing`. */
  raw(scope: CredentialScope, name: string): Promise<RawSecret>;
}

export const Credentials = token<Credentials>('credentials.Credentials');

/** A place that names a credential. */
export interface CredentialUse {
  /** `run`, `handler`, `graph`… */
  kind: string;
  /** Its id or name. */
  name: string;
  /** Where in it: a variable, a node; for people. */
  detail: string;
}

/** Finds the places of one kind that name a credential or an account. */
export interface CredentialUser {
  kind: string;
  /** At most `limit`, newest first. */
  uses(scope: CredentialScope, name: string, limit: number): Promise<CredentialUse[]>;
}

export const CredentialUsers = extensionPoint<CredentialUser>('credentials.CredentialUsers', {
  key: ({ kind }) => kind,
});
