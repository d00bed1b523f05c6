import type { JsonSchema, Queries, ServiceError, Transaction } from '../../kernel/contracts/index.ts';
import { extensionPoint, token } from '../../kernel/contracts/index.ts';
import type { ProjectScope } from '../resources/contract.ts';

/** The text for a variable, and what to mask with it. */
export { rawOf } from './contract/raw.ts';

export { untrustedRunDeclaresCredential } from './contract/errors.ts';

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

/** What one side says about a name that it holds. A connected account counts as `bearer`. */
export type HeldState =
  | { state: 'ok'; kind: CredentialKind }
  /** `why` tells people its status, since when, and where to connect it again. */
  | { state: 'needs_reconnect'; why?: string };

/** The activity that uses a value. */
export interface CredentialUseBy {
  run_id: string;
  activity_id: string;
}

/** One side of the namespace: it knows its names, what each is good for now, and their values. */
export interface NameHolder {
  holder: Holder;
  /** Those of these names that it holds. Reads only through `on`, which may be a transaction. */
  states(
    on: Pick<Queries, 'read'>,
    scope: ProjectScope,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, HeldState>>;
  /**
   * The fields that authenticate with it now. Undefined when it was removed. Throws `account_needs_reconnect`, and other
   * errors that prevent its use.
   */
  fields(scope: ProjectScope, name: string, by?: CredentialUseBy): Promise<CredentialFields | undefined>;
  /** A far end did not accept what a name of this project stands for: the holder may look whether it is still good. */
  onRefused?(scope: ProjectScope, name: string): void;
}

export const NameHolders = extensionPoint<NameHolder>('credentials.NameHolders', { key: ({ holder }) => holder });

/** What somebody wants of a name. */
export interface CredentialWish {
  name: string;
  /** Absent: any kind. A connected account counts as `bearer`. */
  kinds?: readonly CredentialKind[];
  /** Who will use it; absent for what no activity does. */
  by?: CredentialUseBy;
}

/**
 * Credentials by name, for code that sends or injects them. Never called for an untrusted run: the caller must check
 * that.
 */
export interface Credentials {
  /**
   * The fields of a credential, or of an account as `bearer`. Throws `credential_missing`, `credential_wrong_kind`,
   * `credential_conflict` or `account_needs_reconnect`.
   */
  resolve(scope: ProjectScope, wish: CredentialWish): Promise<CredentialFields>;
  /** The value for a variable. Throws as `resolve` does. */
  raw(scope: ProjectScope, wish: CredentialWish): Promise<RawSecret>;
  /** Tells the holders that a far end answered 401 to it. For what no activity does; activities are watched. */
  refused(scope: ProjectScope, name: string): void;
}

export const Credentials = token<Credentials>('credentials.Credentials');

/**
 * What a name is good for now. `conflict`: a credential and an account hold it, and it resolves to neither.
 * `needs_reconnect`: an account whose grant is gone.
 */
export type CredentialState =
  | { state: 'ok'; kind: CredentialKind }
  | { state: 'wrong_kind'; stored_kind: CredentialKind }
  | { state: 'needs_reconnect'; why?: string }
  | { state: 'missing' | 'conflict' };

/** The one resolver of names: for checks at the save and at the submit, for reports, the CLI and the console. */
export interface CredentialStates {
  /** The states of these wishes, in their order. Reads only through `on`, which may be a transaction. */
  states(on: Pick<Queries, 'read'>, scope: ProjectScope, wishes: readonly CredentialWish[]): Promise<CredentialState[]>;
  /** The error with which a use of the name in this state is refused; undefined for `ok`. */
  refusal(wish: CredentialWish, state: CredentialState): ServiceError | undefined;
}

export const CredentialStates = token<CredentialStates>('credentials.CredentialStates');

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

/** The places that name a credential or an account: at most 200 of each kind. */
export interface CredentialUses {
  /** The schema of `{name, …uses}`. */
  schema: JsonSchema;
  of(scope: ProjectScope, name: string): Promise<{ uses: CredentialUse[]; more: boolean }>;
}

export const CredentialUses = token<CredentialUses>('credentials.CredentialUses');
