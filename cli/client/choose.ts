import { usageError } from '../command.ts';

/** The org of the profile; needed by what lies below an org. */
export function orgOf(profile: { org: string }): string {
  if (profile.org === '') throw usageError('no org is chosen', 'set SVC_ORG, or log in with --org');
  return profile.org;
}

/** Path of the org's or, with `project`, the project's members. */
export function membersPath(profile: { org: string }, project: unknown, user?: string): string {
  const org = `/api/v1/orgs/${encodeURIComponent(orgOf(profile))}`;
  const scope = typeof project === 'string' ? `${org}/projects/${encodeURIComponent(project)}` : org;
  return `${scope}/members${user === undefined ? '' : `/${encodeURIComponent(user)}`}`;
}
