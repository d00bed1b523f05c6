import type { OrgRole, Principal, ProjectRole, Scope, Transaction } from '../../../kernel/contracts/index.ts';
import { extensionPoint, token } from '../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../platform/audit/contract.ts';

/** Looks up orgs and projects by id and by name. They are never renamed, so results are cached. */
export interface Scopes {
  /** Returns the names of an org and one of its projects. Throws `not_found`. */
  names(org_id: string, project_id: string): Promise<{ org: string; project: string }>;
  /** Returns the name of an org. Throws `not_found`. */
  orgName(org_id: string): Promise<string>;
  /** Finds an org by name; undefined when there is none. */
  findOrg(org: string): Promise<{ org_id: string; org: string } | undefined>;
  /** Finds a project by name; undefined when there is no such org or project. */
  findProject(org: string, project: string): Promise<Scope | undefined>;
  /** Returns the ids of all projects of an org. */
  projectsOf(org_id: string): Promise<string[]>;
  /** True if the server has more than one org. */
  hasSeveralOrgs(): Promise<boolean>;
}

export const Scopes = token<Scopes>('access.Scopes');

/** The orgs that a caller may see, for lists across orgs. */
export interface VisibleOrgs {
  /** Returns the ids of the orgs that the caller's token can see. Throws `not_authenticated` when it is no longer valid. */
  orgsOf(principal: Principal): Promise<string[]>;
}

export const VisibleOrgs = token<VisibleOrgs>('access.Reach');

/** Creates the first org, project, owner and token of an empty database, or adds an owner to an existing one. */
export interface Bootstrap {
  /**
   * Ensures that the user, the org with that user as owner, and the project exist. `reuse` is a token from an earlier call, which
   * is returned again if it is still a valid, unlimited token of that user. Throws `invalid_request` for an invalid name.
   */
  ensure(owner: {
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

/** Observes users who leave. It is called in the transaction that removes a user from an org (`project_id` null) or project. */
export interface MembershipObserver {
  name: string;
  onRemoved(tx: Transaction, membership: { org_id: string; project_id: string | null; user_id: string }): Promise<void>;
}

export const MembershipObservers = extensionPoint<MembershipObserver>('access.MembershipObservers', {
  key: (observer) => observer.name,
});

/** A role of a member in a project, or in the org itself. */
export interface Membership {
  org_id: string;
  /** Null for the org itself. */
  project_id: string | null;
  role: OrgRole | ProjectRole;
}

/** Manages users and their roles for plugins that authenticate people without a token of svc. It checks no permissions. */
export interface Members {
  /** Creates a user with this name, or a similar one if the name is in use, so that nobody becomes somebody else. */
  create(preferred_name: string): Promise<{ user_id: string; name: string }>;
  rolesOf(user_id: string): Promise<Membership[]>;
  /** Tells whether an invitation waits for the user. Invited users have no role, but must be able to sign in to answer. */
  isInvited(user_id: string): Promise<boolean>;
  /**
   * Gives or replaces a role without asking the user. A role in a project implies membership of its org. Throws `last_owner`.
   */
  set(user: { user_id: string; name: string }, membership: Membership, by: AuditSource): Promise<void>;
  /** Ends a membership if there is one. Leaving an org also ends the memberships of its projects. Throws `last_owner`. */
  remove(
    user: { user_id: string; name: string },
    scope: Pick<Membership, 'org_id' | 'project_id'>,
    by: AuditSource,
  ): Promise<void>;
}

export const Members = token<Members>('access.Members');

/** The person behind a session, and the token that it was created from, if any. */
export interface SessionGrant {
  user_id: string;
  /** The session has the limits and the expiry of this token. Undefined: it has all rights of its person. */
  token_id: string | undefined;
}

/** Resolves the rights of principals with a `session_id`. */
export interface SessionGrants {
  name: string;
  /** Returns undefined when there is no such session, or when it has ended. */
  find(session_id: string): Promise<SessionGrant | undefined>;
}

export const SessionGrants = extensionPoint<SessionGrants>('access.SessionGrants', { key: (grants) => grants.name });
