import type { JsonSchema, Queries, ServiceError, Transaction } from '../../../kernel/contracts/index.ts';
import { extensionPoint, token } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../platform/resources/contract.ts';

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

/** What a name belongs to: a credential or a connected account. */
export type CredentialSourceKind = 'credential' | 'account';

/**
 * The shared namespace of credentials and accounts (invariant I15), with one row for each name. Both reserve the row in the
 * transaction that creates their resource, before they write any table of their own.
 */
export interface CredentialNames {
  /**
   * Reserves a name. Returns true when it was free, and false when this side already has it. Throws `name_conflict` when the
   * other side has it.
   */
  reserve(tx: Transaction, scope: ProjectScope, name: string, source: CredentialSourceKind): Promise<boolean>;
  /** Frees a name. Returns false when this side does not have it. */
  release(tx: Queries, scope: ProjectScope, name: string, source: CredentialSourceKind): Promise<boolean>;
  /** Returns which side has each of these names. Free names are left out. */
  findSources(
    on: Pick<Queries, 'read'>,
    scope: ProjectScope,
    names: readonly string[],
  ): Promise<Map<string, CredentialSourceKind>>;
}

export const CredentialNames = token<CredentialNames>('credentials.CredentialNames');

/** The state of a name, as the side that has it reports it. A connected account counts as `bearer`. */
export type SourceState =
  /** `hosts` are the only ones to which the value may be sent; without them, any. */
  | { state: 'ok'; kind: CredentialKind; hosts?: readonly string[] }
  /** `why` is for people: the status, since when, and where to reconnect. */
  | { state: 'needs_reconnect'; why?: string };

/** The activity that uses a value. */
export interface CredentialUseBy {
  run_id: string;
  activity_id: string;
}

/** One side of the namespace: it knows its names, their current state, and their values. */
export interface CredentialSource {
  source: CredentialSourceKind;
  /** Returns the states of those names that it has. Reads only through `on`, which may be a transaction. */
  states(
    on: Pick<Queries, 'read'>,
    scope: ProjectScope,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, SourceState>>;
  /**
   * Returns the fields that authenticate now; undefined when the name was removed. Throws `account_needs_reconnect`, and other
   * errors that prevent its use.
   */
  fields(
    scope: ProjectScope,
    name: string,
    by?: CredentialUseBy,
  ): Promise<{ fields: CredentialFields; hosts?: readonly string[] } | undefined>;
  /** Called when another system has rejected the value of a name, so that this side can check whether it is still valid. */
  onRejected?(scope: ProjectScope, name: string): void;
}

export const CredentialSources = extensionPoint<CredentialSource>('credentials.NameHolders', {
  key: ({ source: holder }) => holder,
});

/** A request for the credential of a name. */
export interface CredentialRequest {
  name: string;
  /** The accepted kinds. Defaults to any. A connected account counts as `bearer`. */
  kinds?: readonly CredentialKind[];
  /** The activity that will use it, if any. */
  by?: CredentialUseBy;
  /**
   * Where the value goes: the URL of a request, or `job`, a program that can send it anywhere. Required by everything that passes
   * the value on, because a credential may be limited to some hosts. Without it, hosts are not checked.
   */
  destination?: { url: string } | 'job';
}

/**
 * Credentials by name, for code that sends or injects them. Never called for an untrusted run: the caller must check
 * that.
 */
export interface Credentials {
  /**
   * Returns the fields of a credential, or of an account as `bearer`. Throws `credential_missing`, `credential_wrong_kind`,
   * `credential_conflict`, `credential_host_not_allowed` or `account_needs_reconnect`.
   */
  resolve(scope: ProjectScope, request: CredentialRequest): Promise<CredentialFields>;
  /** Returns the value for a variable. Throws as `resolve` does. */
  raw(scope: ProjectScope, request: CredentialRequest): Promise<RawSecret>;
  /** Reports that another system has answered 401. Only for requests outside of activities, whose answers are observed. */
  reportRejected(scope: ProjectScope, name: string): void;
}

export const Credentials = token<Credentials>('credentials.Credentials');

/**
 * The current state of a name. `conflict` means that both a credential and an account have it, so that it resolves to neither.
 * `needs_reconnect` means that the grant of an account was revoked.
 */
export type CredentialState =
  | { state: 'ok'; kind: CredentialKind }
  | { state: 'wrong_kind'; stored_kind: CredentialKind }
  /** Only for requests with a destination. */
  | { state: 'host_not_allowed'; hosts: readonly string[] }
  | { state: 'needs_reconnect'; why?: string }
  | { state: 'missing' | 'conflict' };

/** The one resolver of names, for checks when documents are saved or submitted, for reports, the CLI and the console. */
export interface CredentialStates {
  /** Returns the states of these requests, in order. Reads only through `on`, which may be a transaction. */
  states(
    on: Pick<Queries, 'read'>,
    scope: ProjectScope,
    requests: readonly CredentialRequest[],
  ): Promise<CredentialState[]>;
  /** Returns the error for using a name in this state; undefined for `ok`. */
  toError(request: CredentialRequest, state: CredentialState): ServiceError | undefined;
}

export const CredentialStates = token<CredentialStates>('credentials.CredentialStates');

/** A use of a credential. */
export interface CredentialUse {
  /** What uses it: `run`, `handler`, `graph`… */
  kind: string;
  /** The id or name of the user. */
  name: string;
  /** Where it is used, for people: a variable, a node. */
  detail: string;
}

/** Finds the uses of a credential or an account by one kind of resource. */
export interface CredentialUser {
  kind: string;
  /** Returns at most `limit` uses, newest first. */
  uses(scope: ProjectScope, name: string, limit: number): Promise<CredentialUse[]>;
}

export const CredentialUsers = extensionPoint<CredentialUser>('credentials.CredentialUsers', {
  key: ({ kind }) => kind,
});

/** Finds everything that uses a credential or an account: at most 200 of each kind. */
export interface CredentialUses {
  /** The schema of `{name, …uses}`. */
  schema: JsonSchema;
  find(scope: ProjectScope, name: string): Promise<{ uses: CredentialUse[]; more: boolean }>;
}

export const CredentialUses = token<CredentialUses>('credentials.CredentialUses');
