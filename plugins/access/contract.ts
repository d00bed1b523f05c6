import type { Principal, Scope, Transaction } from '../../kernel/contracts/index.ts';
import { extensionPoint, token } from '../../kernel/contracts/index.ts';

/** Orgs and projects by id and by name. Neither is ever renamed, so answers are kept in memory. */
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

/** Which orgs a caller may know of: for lists that span orgs. */
export interface Reach {
  /** Ids of the orgs that the caller's token reaches. Throws `not_authenticated` when it has gone since. */
  orgsOf(principal: Principal): Promise<string[]>;
}

export const Reach = token<Reach>('access.Reach');

/** Makes the first org, project, owner and token of an empty database, or adds an owner to what is there. */
export interface Bootstrap {
  /**
   * Ensures the user, the org with that user as owner, and the project. `reuse` is a token of an earlier call,
   * answered again while it is a valid, unlimited token of that user. Throws `invalid_request` on a bad name.
   */
  ensure(wanted: {
    user: string;
    org: string;
    project: string;
    token_name?: string;
    reuse?: string;
  }): Promise<{ token: string }>;
  /** Does any org have an owner? */
  hasOwner(): Promise<boolean>;
}

export const Bootstrap = token<Bootstrap>('access.Bootstrap');

/** Hears, inside the transaction, that a user left an org (`project_id` null) or one of its projects. */
export interface MembershipObserver {
  name: string;
  onRemoved(tx: Transaction, left: { org_id: string; project_id: string | null; user_id: string }): Promise<void>;
}

export const MembershipObservers = extensionPoint<MembershipObserver>('access.MembershipObservers', {
  key: (observer) => observer.name,
});
