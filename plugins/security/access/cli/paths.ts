import { type Client, type Invocation, usageError } from '../../../../cli/contract.ts';

/** Returns the org of the profile, which every path below an org needs. */
export function orgOf({ profile }: Client): string {
  if (profile.org === '') throw usageError('no org is selected', 'set SVC_ORG, or log in with --org');
  return profile.org;
}

const orgPath = (api: Client): string => `/api/v1/orgs/${encodeURIComponent(orgOf(api))}`;

export const projectsPath = (api: Client): string => `${orgPath(api)}/projects`;

/** The path of the org or, with `--project`, of the project. */
const scopePath = (api: Client, { flags: { project } }: Invocation): string =>
  project === undefined ? orgPath(api) : `${projectsPath(api)}/${encodeURIComponent(String(project))}`;

export const membersPath = (api: Client, invocation: Invocation): string => `${scopePath(api, invocation)}/members`;

/** The path of the invitations to that org or project, for people who may withdraw them. */
export const invitationsPath = (api: Client, invocation: Invocation): string =>
  `${scopePath(api, invocation)}/invitations`;

/** The path of the invitations to the caller. */
export const INVITATIONS = '/api/v1/invitations';

export const scopeName = (org: string, project: string | undefined): string =>
  project === undefined ? org : `${org}/${project}`;
