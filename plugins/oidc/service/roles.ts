import { type Database, isServiceError, type Log } from '../../../kernel/contracts/index.ts';
import type { Members, Membership, Scopes } from '../../access/contract.ts';
import type { AuditSource } from '../../audit/contract.ts';
import type { MappedRole } from '../generated/role-map.ts';
import { type Grant, higher, placeKey, type RoleChange, roleChanges } from '../domain/role-changes.ts';
import { grantsOf, putGrant, removeGrant } from '../store/grants.ts';
import type { User } from './people.ts';

export interface RoleParts {
  database: Database;
  members: Members;
  scopes: Scopes;
  log: Log;
}

/** Makes the roles of a person those that the claims give. */
export class Roles {
  readonly #parts: RoleParts;

  constructor(parts: RoleParts) {
    this.#parts = parts;
  }

  /** The mapped roles by ids, without those of orgs and projects that do not exist. */
  async resolve(mapped: readonly MappedRole[]): Promise<Membership[]> {
    const found = await Promise.all(mapped.map((one) => this.#resolveOne(one)));
    return found.flat();
  }

  /** True when the person is in some org then, or invited to one. */
  async apply(user: User, wanted: readonly Membership[], by: AuditSource): Promise<boolean> {
    const { database, members } = this.#parts;
    const [given, held] = [await grantsOf(database, user.user_id), await members.rolesOf(user.user_id)];
    const notes = new Map(given.map((one) => [placeKey(one), one]));
    for (const change of roleChanges(wanted, given, held))
      await this.#carryOut(user, change, notes.get(placeKey(change)), by);
    const isMember = (await members.rolesOf(user.user_id)).some(({ project_id }) => project_id === null);
    return isMember || members.isInvited(user.user_id);
  }

  async #resolveOne({ org, project, role }: MappedRole): Promise<Membership[]> {
    const { scopes, log } = this.#parts;
    const place = await scopes.findOrg(org);
    if (!place) {
      log.warn({ org }, 'SVC_OIDC_ROLES names an org that does not exist');
      return [];
    }
    const { org_id } = place;
    if (project === undefined && (role === 'owner' || role === 'member')) return [{ org_id, project_id: null, role }];
    if (project === undefined || project === '*')
      return (await scopes.projectsOf(org_id)).map((project_id) => ({ org_id, project_id, role }));
    const scope = await scopes.findProject(org, project);
    if (scope) return [{ org_id, project_id: scope.project_id, role }];
    log.warn({ org, project }, 'SVC_OIDC_ROLES names a project that does not exist');
    return [];
  }

  /**
   * A note is made before its role is given, and changed or removed after a higher one was taken: what a crash leaves is
   * mended next time, and is never a role that nobody takes away any more.
   */
  async #carryOut(user: User, change: RoleChange, note: Grant | undefined, by: AuditSource): Promise<void> {
    const { set, grant, ...place } = change;
    const { database, members, log } = this.#parts;
    const lowers = grant && note && higher(note.role, grant.role);
    if (grant && !lowers) await putGrant(database, user.user_id, grant);
    try {
      if (set === null) await members.remove(user, place, by);
      else if (set !== undefined) await members.set(user, { ...place, role: set }, by);
    } catch (error) {
      // An org keeps an owner: this one stays, and the note of it too.
      if (!isServiceError(error, 'last_owner')) throw error;
      log.warn({ user: user.name }, 'the claims give the only owner of an org another role; the owner stays');
      return;
    }
    if (lowers) await putGrant(database, user.user_id, grant);
    if (grant === null) await removeGrant(database, user.user_id, place);
  }
}
