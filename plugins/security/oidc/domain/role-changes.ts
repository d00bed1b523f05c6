import type { Membership } from '../../access/contract.ts';

export type Role = Membership['role'];
export type RoleScope = Pick<Membership, 'org_id' | 'project_id'>;

/** A role that this plugin has given. `before` is the lower role that it replaced. */
export interface Grant extends Membership {
  before: Role | null;
}

/** A change of a membership and of its record. `set: null` removes the membership, and `grant: null` removes the record. */
export interface RoleChange extends RoleScope {
  set?: Role | null;
  grant?: Grant | null;
}

const RANK: Readonly<Record<Role, number>> = { viewer: 0, member: 1, admin: 2, owner: 3 };
export const isHigher = (one: Role, other: Role): boolean => RANK[one] > RANK[other];

export const scopeKey = ({ org_id, project_id }: RoleScope): string => `${org_id} ${project_id ?? ''}`;

/** Returns the highest role for each org and project. A role in a project implies membership of its org. */
function highestPerScope(desired: readonly Membership[]): Map<string, Membership> {
  const highest_roles = new Map<string, Membership>();
  const recordHighest = (membership: Membership) => {
    const current = highest_roles.get(scopeKey(membership));
    if (!current || isHigher(membership.role, current.role)) highest_roles.set(scopeKey(membership), membership);
  };
  for (const membership of desired) {
    recordHighest(membership);
    if (membership.project_id !== null) recordHighest({ org_id: membership.org_id, project_id: null, role: 'member' });
  }
  return highest_roles;
}

/**
 * Computes the changes that make the roles of a person those of the claims: new roles are given, and roles that were given before
 * and are not in the claims any more are revoked. Roles that people gave by hand stay, unless the claims give higher ones. Orgs
 * come before their projects when roles are given, and after them when roles are revoked.
 */
export function roleChanges(
  desired: readonly Membership[],
  grants_added: readonly Grant[],
  memberships: readonly Membership[],
): RoleChange[] {
  const desired_by_scope = highestPerScope(desired);
  const grants = new Map(grants_added.map((one) => [scopeKey(one), one]));
  const roles_now = new Map(memberships.map((one) => [scopeKey(one), one.role]));
  const granted = [...desired_by_scope.values()]
    .toSorted(orgsFirst)
    .flatMap((one) => grantChanges(one, grants.get(scopeKey(one)), roles_now.get(scopeKey(one))));
  const revoked = grants_added
    .filter((one) => !desired_by_scope.has(scopeKey(one)))
    .toSorted((one, other) => orgsFirst(other, one))
    .map((one) => revokeChange(one, roles_now.get(scopeKey(one))));
  return [...granted, ...retainNeededOrgs(revoked, roles_now, desired_by_scope)];
}

const orgsFirst = (one: RoleScope, other: RoleScope): number =>
  Number(one.project_id !== null) - Number(other.project_id !== null);

function grantChanges(desired: Membership, grant: Grant | undefined, current_role: Role | undefined): RoleChange[] {
  const { org_id, project_id, role } = desired;
  const byHand = current_role !== undefined && current_role !== grant?.role;
  if (current_role === role || (byHand && isHigher(current_role, role)))
    return byHand && grant ? [{ org_id, project_id, grant: null }] : [];
  const before = byHand ? current_role : current_role === undefined ? null : (grant?.before ?? null);
  return [{ org_id, project_id, set: role, grant: { org_id, project_id, role, before } }];
}

function revokeChange({ org_id, project_id, role, before }: Grant, current_role: Role | undefined): RoleChange {
  return { org_id, project_id, grant: null, ...(current_role === role ? { set: before } : {}) };
}

/** Leaving an org would end roles in its projects that were given by hand, so membership of the org stays in that case. */
function retainNeededOrgs(
  revoked: readonly RoleChange[],
  roles_now: ReadonlyMap<string, Role>,
  desired_by_scope: ReadonlyMap<string, Membership>,
): RoleChange[] {
  const removed_scopes = new Set(revoked.filter(({ set }) => set === null).map(scopeKey));
  const isNeeded = (org_id: string) =>
    [...roles_now.keys(), ...desired_by_scope.keys()].some(
      (key) => key.startsWith(`${org_id} `) && key !== `${org_id} ` && !removed_scopes.has(key),
    );
  return revoked.flatMap((one) => {
    const { org_id, project_id, set } = one;
    if (project_id !== null || set !== null || !isNeeded(org_id)) return [one];
    const membership_grant: Grant = { org_id, project_id, role: 'member', before: null };
    return roles_now.get(scopeKey(one)) === 'member'
      ? []
      : [{ org_id, project_id, set: 'member', grant: membership_grant }];
  });
}
