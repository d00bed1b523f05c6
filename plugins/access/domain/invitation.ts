import type { Identity } from './identity.ts';

/** How long an invitation waits for its answer. */
export const INVITATION_MS = 7 * 24 * 60 * 60 * 1000;

/** Pending ones of an org with its projects. */
export const MAX_PENDING = 500;

/**
 * The org whose owners made the user and all tokens that the user has: the one that added the user, and after leaving it the
 * one that they are in for the longest time. `''` for users who sign in otherwise. `orgs` are the user's, the longest first.
 */
export function homeOf(maker_org_id: string, orgs: readonly string[]): string {
  return maker_org_id === '' || orgs.includes(maker_org_id) ? maker_org_id : (orgs[0] ?? '');
}

/**
 * May this token answer for its user? What it accepts is a membership of the whole person, so a token that is limited by role
 * or to a project may not, nor one that is limited to an org other than the home: owners of that org may have made it.
 */
export function speaksForUser({ token: { limits } }: Pick<Identity, 'token'>, home_org_id: string): boolean {
  if (limits.role !== null || limits.project_id !== null) return false;
  return limits.org_id === null || limits.org_id === home_org_id;
}

/** May a user with these memberships of the org give roles there? `project_id` is `''` for the org itself. */
export function mayGiveRoles(held: readonly { project_id: string; role: string }[], project_id: string): boolean {
  const inOrg = held.find((one) => one.project_id === '');
  if (!inOrg) return false;
  if (inOrg.role === 'owner') return true;
  return project_id !== '' && held.some((one) => one.project_id === project_id && one.role === 'admin');
}
