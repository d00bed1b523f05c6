import type { OrgRole, Principal, ProjectRole } from '../../../kernel/contracts/index.ts';
import { type Limits, lowerRole } from './roles.ts';

/** A user's roles in one org and its projects. */
export interface OrgMembership {
  role: OrgRole;
  /** By project id; an owner needs none. */
  projects: ReadonlyMap<string, ProjectRole>;
}

/** The caller with everything that decides their permissions. */
export interface Identity {
  principal: Principal;
  token: { name: string; expires_at: number | null; limits: Limits };
  /** By org id; empty for agents. */
  orgs: ReadonlyMap<string, OrgMembership>;
}

/** The role of this token in the org; undefined when its holder may not know of the org. */
export function orgRoleOf({ orgs, token: { limits } }: Identity, org_id: string): OrgRole | undefined {
  if (limits.org_id !== null && limits.org_id !== org_id) return undefined;
  const membership = orgs.get(org_id);
  if (!membership) return undefined;
  // Rights over the whole org need a token that is limited neither by role nor to a project.
  const whole = limits.role === null && limits.project_id === null;
  return whole ? membership.role : 'member';
}

/** The role of this token in the project; undefined when its holder may not know of the project. */
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
