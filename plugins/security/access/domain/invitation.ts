import type { Identity } from './identity.ts';

/** How long an invitation waits for its answer. */
export const INVITATION_MS = 7 * 24 * 60 * 60 * 1000;

/** The maximum number of pending invitations of an org and its projects. */
export const MAX_PENDING = 500;

/**
 * Returns the org whose owners may have created the tokens of the user: the one that added the user or, once the user has left
 * that, the one of which they have been a member for longest. `''` for users who sign in otherwise. `orgs` are the user's orgs,
 * oldest membership first.
 */
export function homeOf(maker_org_id: string, orgs: readonly string[]): string {
  return maker_org_id === '' || orgs.includes(maker_org_id) ? maker_org_id : (orgs[0] ?? '');
}

/**
 * Tells whether a token may answer invitations for its user. It would accept a membership of the whole person, so a token that is
 * limited to a role or a project may not, and neither may one that is limited to an org other than the home org, because owners
 * of that org may have created it.
 */
export function canAnswerInvitations({ token: { limits } }: Pick<Identity, 'token'>, home_org_id: string): boolean {
  if (limits.role !== null || limits.project_id !== null) return false;
  return limits.org_id === null || limits.org_id === home_org_id;
}

/** Tells whether a user with these memberships of an org may give roles there. `project_id` is `''` for the org itself. */
export function mayGiveRoles(
  memberships: readonly { project_id: string; role: string }[],
  project_id: string,
): boolean {
  const inOrg = memberships.find((one) => one.project_id === '');
  if (!inOrg) return false;
  if (inOrg.role === 'owner') return true;
  return project_id !== '' && memberships.some((one) => one.project_id === project_id && one.role === 'admin');
}
