import type { OrgRole, Principal, ProjectRole, Scope, Transaction } from '../../kernel/contracts/index.ts';
import { extensionPoint, token } from '../../kernel/contracts/index.ts';
import type { AuditSource } from '../audit/contract.ts';

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
  /** Ids of all projects of an org. */
  projectsOf(org_id: string): Promise<string[]>;
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

/** Where a member has a role: in a project, or in the org itself. */
export interface Membership {
  org_id: string;
  /** Null for the org itself. */
  project_id: string | null;
  role: OrgRole | ProjectRole;
}

/** Users and their roles, for whoever lets them in by something else than a token of svc. It checks nobody's rights. */
export interface Members {
  /** A new user. The name is the wanted one, or one like it when somebody has that: nobody gets into another's place. */
  create(wanted: string): Promise<{ user_id: string; name: string }>;
  rolesOf(user_id: string): Promise<Membership[]>;
  /** Does an invitation wait for the user's answer? Who is invited has no role, but must be able to sign in to answer. */
  isInvited(user_id: string): Promise<boolean>;
  /** Gives the role without asking the user, in place of another one. A role in a project brings membership of its org. Throws `last_owner`. */
  set(user: { user_id: string; name: string }, membership: Membership, by: AuditSource): Promise<void>;
  /** Ends a membership, if there is one; that of an org ends those of its projects. Throws `last_owner`. */
  remove(
    user: { user_id: string; name: string },
    place: Pick<Membership, 'org_id' | 'project_id'>,
    by: AuditSource,
  ): Promise<void>;
}

export const Members = token<Members>('access.Members');

/** What a session stands for: a person, and the token that it was made from if there was one. */
export interface SessionGrant {
  user_id: string;
  /** Its limits and its end are those of the session; undefined: the session may what its person may. */
  token_id: string | undefined;
}

/** Where principals with a `session_id` get their rights from. */
export interface SessionGrants {
  name: string;
  /** Undefined when there is no such session, or it is over. */
  find(session_id: string): Promise<SessionGrant | undefined>;
}

export const SessionGrants = extensionPoint<SessionGrants>('access.SessionGrants', { key: (grants) => grants.name });
