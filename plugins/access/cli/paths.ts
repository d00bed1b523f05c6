import { type Client, type Invocation, usageError } from '../../../cli/contract.ts';

/** The org of the profile, required by every path below an org. */
export function orgOf({ profile }: Client): string {
  if (profile.org === '') throw usageError('no org is chosen', 'set SVC_ORG, or log in with --org');
  return profile.org;
}

const orgPath = (api: Client): string => `/api/v1/orgs/${encodeURIComponent(orgOf(api))}`;

export const projectsPath = (api: Client): string => `${orgPath(api)}/projects`;

/** Members of the org or, with `--project`, of the project. */
export const membersPath = (api: Client, { flags: { project } }: Invocation): string =>
  `${project === undefined ? orgPath(api) : `${projectsPath(api)}/${encodeURIComponent(String(project))}`}/members`;
