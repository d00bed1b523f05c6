import { type Database, isServiceError, type Log } from '../../../../kernel/contracts/index.ts';
import type { Members, Membership, Scopes } from '../../access/contract.ts';
import type { AuditSource } from '../../../platform/audit/contract.ts';
import type { MappedRole } from '../generated/role-map.ts';
import { type Grant, isHigher, scopeKey, type RoleChange, roleChanges } from '../domain/role-changes.ts';
import { grantsOf, putGrant, removeGrant } from '../store/grants.ts';
import type { User } from './people.ts';

export interface RolesOptions {
  database: Database;
  members: Members;
  scopes: Scopes;
  log: Log;
}

/** Synchronises the roles of a person with the claims. */
export class Roles {
  readonly #options: RolesOptions;

  constructor(options: RolesOptions) {
    this.#options = options;
  }

  /** Resolves the names in the mapped roles to ids. Orgs and projects that do not exist are logged and left out. */
  async resolve(mapped: readonly MappedRole[]): Promise<Membership[]> {
    const resolved = await Promise.all(mapped.map((one) => this.#resolveOne(one)));
    return resolved.flat();
  }

  /** Applies the roles. Returns true when the person is a member of an org afterwards, or invited to one. */
  async apply(user: User, desired: readonly Membership[], by: AuditSource): Promise<boolean> {
    const { database, members } = this.#options;
    const grants = await grantsOf(database, user.user_id);
    const memberships = await members.rolesOf(user.user_id);
    const grants_by_scope = new Map(grants.map((one) => [scopeKey(one), one]));
    for (const change of roleChanges(desired, grants, memberships))
      await this.#applyChange(user, change, grants_by_scope.get(scopeKey(change)), by);
    const isMember = (await members.rolesOf(user.user_id)).some(({ project_id }) => project_id === null);
    return isMember || members.isInvited(user.user_id);
  }

  async #resolveOne({ org, project, role }: MappedRole): Promise<Membership[]> {
    const { scopes, log } = this.#options;
    const org_scope = await scopes.findOrg(org);
    if (!org_scope) {
      log.warn({ org }, 'SVC_OIDC_ROLES contains an org that does not exist');
      return [];
    }
    const { org_id } = org_scope;
    if (project === undefined && (role === 'owner' || role === 'member')) return [{ org_id, project_id: null, role }];
    if (project === undefined || project === '*')
      return (await scopes.projectsOf(org_id)).map((project_id) => ({ org_id, project_id, role }));
    const scope = await scopes.findProject(org, project);
    if (scope) return [{ org_id, project_id: scope.project_id, role }];
    log.warn({ org, project }, 'SVC_OIDC_ROLES contains a project that does not exist');
    return [];
  }

  /**
   * Applies one change. A grant is recorded before its role is given, and lowered or removed after a role was revoked. So a crash
   * never leaves a role that is not recorded and would never be revoked; the next sign-in repairs the rest.
   */
  async #applyChange(user: User, change: RoleChange, existing: Grant | undefined, by: AuditSource): Promise<void> {
    const { set, grant, ...place } = change;
    const { database, members, log } = this.#options;
    const lowers = grant && existing && isHigher(existing.role, grant.role);
    if (grant && !lowers) await putGrant(database, user.user_id, grant);
    try {
      if (set === null) await members.remove(user, place, by);
      else if (set !== undefined) await members.set(user, { ...place, role: set }, by);
    } catch (error) {
      // An org must keep an owner, so this one stays, and so does the record.
      if (!isServiceError(error, 'last_owner')) throw error;
      log.warn({ user: user.name }, 'the claims assign another role to the only owner of an org; the user stays owner');
      return;
    }
    if (lowers) await putGrant(database, user.user_id, grant);
    if (grant === null) await removeGrant(database, user.user_id, place);
  }
}
