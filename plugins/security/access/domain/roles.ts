import type { OrgRole, ProjectRole } from '../../../../kernel/contracts/index.ts';

/** Lowest first. */
export const PROJECT_ROLES: readonly ProjectRole[] = ['viewer', 'member', 'admin'];
export const ORG_ROLES: readonly OrgRole[] = ['member', 'owner'];

export const projectRank = (role: ProjectRole): number => PROJECT_ROLES.indexOf(role);
export const orgRank = (role: OrgRole): number => ORG_ROLES.indexOf(role);

export const lowerRole = (a: ProjectRole, b: ProjectRole): ProjectRole => (projectRank(a) <= projectRank(b) ? a : b);

/** The limits of a token; null means no limit. A limit to a project includes its org. */
export interface Limits {
  org_id: string | null;
  project_id: string | null;
  role: ProjectRole | null;
}

export const UNLIMITED: Limits = { org_id: null, project_id: null, role: null };

export const isUnlimited = (limits: Limits): boolean =>
  limits.org_id === null && limits.project_id === null && limits.role === null;

/** True when `outer` allows everything that `inner` allows. */
export function isWithin(inner: Limits, outer: Limits): boolean {
  if (outer.org_id !== null && inner.org_id !== outer.org_id) return false;
  if (outer.project_id !== null && inner.project_id !== outer.project_id) return false;
  return outer.role === null || (inner.role !== null && projectRank(inner.role) <= projectRank(outer.role));
}
