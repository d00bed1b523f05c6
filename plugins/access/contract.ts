import type { Principal, Scope, Transaction } from '../../kernel/contracts/index.ts';
import { extensionPoint, token } from '../../kernel/contracts/index.ts';

/** Orgs and projects by id and by name. They are never renamed, so answers are cached. */
export interface Scopes {
  /** Names of an org and one of its projects. Throws `not_found`. */
  names(org_id: string, project_id: string): Promise<{ org: string; project: string }>;
  /** Throws `not_found`. */
  orgName(org_id: string): Promise<string>;
  /** Ids by name; undefined when there is no such org. */
  findOrg(org: string): Promise<{ org_id: string; org: string } | undefined>;
  /** Ids by name; undefined when there is no such org or project. */
  findProject(org: string, project: string): Promise<Scope | undefined>;
}

export const Scopes = token<Scopes>('access.Scopes');

/** The orgs that a caller may see, for lists across orgs. */
export interface Reach {
  /** Ids of the orgs that the caller's token reaches. Throws `not_authenticated` when the token has become invalid. */
  orgsOf(principal: Principal): Promise<string[]>;
}

export const Reach = token<Reach>('access.Reach');

/** Creates the first org, project, owner and token of an empty database, or adds an owner to an existing one. */
export interface Bootstrap {
  /**
   * Ensures that the user, the org with that user as owner, and the project exist. `reuse` is a token of an earlier
   * call; it is answered again while it is a valid, unlimited token of that user. Throws `invalid_request` for an
   * invalid name.
   */
  ensure(wanted: {
    user: string;
    org: string;
    project: string;
    token_name?: string;
    reuse?: string;
  }): Promise<{ token: string }>;
  /** True when some org has an owner. */
  hasOwner(): Promise<boolean>;
}

export const Bootstrap = token<Bootstrap>('access.Bootstrap');

/** Called in the transaction in which a user leaves an org (`project_id` null) or one of its projects. */
export interface MembershipObserver {
  name: string;
  onRemoved(tx: Transaction, left: { org_id: string; project_id: string | null; user_id: string }): Promise<void>;
}

export const MembershipObservers = extensionPoint<MembershipObserver>('access.MembershipObservers', {
  key: (observer) => observer.name,
});
