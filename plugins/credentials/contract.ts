import type { Queries, Transaction } from '../../kernel/contracts/index.ts';
import { extensionPoint, token } from '../../kernel/contracts/index.ts';
import type { ProjectScope } from '../resources/contract.ts';

/** The spelling of manifests and reports; the CLI writes `api-key` and `url-token`. */
export const CREDENTIAL_KINDS = ['bearer', 'api_key', 'basic', 'url_token'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** The fields of each kind. `header` is a name that HTTP allows callers to set; no value contains CR, LF or NUL. */
export type CredentialFields =
  | { kind: 'bearer'; token: string }
  | { kind: 'api_key'; header: string; value: string }
  | { kind: 'basic'; username: string; password: string }
  | { kind: 'url_token'; token: string };

/** The text that a variable gets from a credential, and further texts to mask. */
export interface RawSecret {
  value: string;
  masks: string[];
}

/** The holder of a name: a credential or a connected account. */
export type Holder = 'credential' | 'account';

/**
 * The shared namespace of credentials and accounts (invariant I15): one row for each name, whoever holds it. Both take
 * the row in the transaction that creates theirs, before any table of their own.
 */
export interface CredentialNames {
  /**
   * True when the name was free, false when this holder already has it. Throws `name_conflict` when the other side
   * holds it.
   */
  take(tx: Transaction, scope: ProjectScope, name: string, holder: Holder): Promise<boolean>;
  /** Frees the name; false when this holder does not have it. */
  release(tx: Queries, scope: ProjectScope, name: string, holder: Holder): Promise<boolean>;
  /** The holders of these names; free names are left out. */
  holders(on: Pick<Queries, 'read'>, scope: ProjectScope, names: readonly string[]): Promise<Map<string, Holder>>;
}

export const CredentialNames = token<CredentialNames>('credentials.CredentialNames');

/** Provides the values of the names that it holds. */
export interface NameHolder {
  holder: Holder;
  /** Throws `credential_missing` when it was removed, and other errors that prevent its use. */
  raw(scope: ProjectScope, name: string): Promise<RawSecret>;
}

export const NameHolders = extensionPoint<NameHolder>('credentials.NameHolders', { key: ({ holder }) => holder });

/**
 * Credentials by name, for code that sends or injects them. Never called for an untrusted run: the caller must check
 * that.
 */
export interface Credentials {
  /** The fields of a stored credential; undefined when there is none with that name. */
  fields(scope: ProjectScope, name: string): Promise<CredentialFields | undefined>;
  /** The value for a variable, from a credential or an account. Throws `credential_missing`. */
  raw(scope: ProjectScope, name: string): Promise<RawSecret>;
}

export const Credentials = token<Credentials>('credentials.Credentials');

/** Something that names a credential. */
export interface CredentialUse {
  /** `run`, `handler`, `graph`… */
  kind: string;
  /** Its id or name. */
  name: string;
  /** Where in it, for people: a variable, a node. */
  detail: string;
}

/** Finds what names a credential or an account, for one kind of place. */
export interface CredentialUser {
  kind: string;
  /** At most `limit`, newest first. */
  uses(scope: ProjectScope, name: string, limit: number): Promise<CredentialUse[]>;
}

export const CredentialUsers = extensionPoint<CredentialUser>('credentials.CredentialUsers', {
  key: ({ kind }) => kind,
});
