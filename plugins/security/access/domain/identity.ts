import type { OrgRole, Principal, ProjectRole } from '../../../../kernel/contracts/index.ts';
import { type Limits, lowerRole } from './roles.ts';

/** A user's roles in one org and its projects. */
export interface OrgMembership {
  role: OrgRole;
  /** The roles by project id. An owner needs none. */
  projects: ReadonlyMap<string, ProjectRole>;
}

/** The caller, and everything that decides their permissions. */
export interface Identity {
  principal: Principal;
  token: { name: string; expires_at: number | null; limits: Limits };
  /** The memberships by org id; empty for agents. */
  orgs: ReadonlyMap<string, OrgMembership>;
}

/** Returns the role of this token in the org; undefined when its holder may not know that the org exists. */
export function orgRoleOf({ orgs, token: { limits } }: Identity, org_id: string): OrgRole | undefined {
  if (limits.org_id !== null && limits.org_id !== org_id) return undefined;
  const membership = orgs.get(org_id);
  if (!membership) return undefined;
  // Rights over the whole org need a token that is limited neither to a role nor to a project.
  const is_unrestricted = limits.role === null && limits.project_id === null;
  return is_unrestricted ? membership.role : 'member';
}

/** Returns the role of this token in the project; undefined when its holder may not know that the project exists. */
export function projectRoleOf(identity: Identity, org_id: string, project_id: string): ProjectRole | undefined {
  const { orgs, token } = identity;
  const { limits } = token;
  if (limits.org_id !== null && limits.org_id !== org_id) return undefined;
  if (limits.project_id !== null && limits.project_id !== project_id) return undefined;
  const membership = orgs.get(org_id);
  const role = membership?.role === 'owner' ? 'admin' : membership?.projects.get(project_id);
  if (!role) return undefined;
  return limits.role === null ? role : lowerRole(role, limits.role);
}
