import { type Client, type Invocation, usageError } from '../../../cli/contract.ts';

/** The org of the profile, required by every path below an org. */
export function orgOf({ profile }: Client): string {
  if (profile.org === '') throw usageError('no org is chosen', 'set SVC_ORG, or log in with --org');
  return profile.org;
}

const orgPath = (api: Client): string => `/api/v1/orgs/${encodeURIComponent(orgOf(api))}`;

export const projectsPath = (api: Client): string => `${orgPath(api)}/projects`;

/** The org or, with `--project`, the project. */
const placePath = (api: Client, { flags: { project } }: Invocation): string =>
  project === undefined ? orgPath(api) : `${projectsPath(api)}/${encodeURIComponent(String(project))}`;

export const membersPath = (api: Client, invocation: Invocation): string => `${placePath(api, invocation)}/members`;

/** Invitations to the same, for those who may withdraw them. */
export const invitedPath = (api: Client, invocation: Invocation): string => `${placePath(api, invocation)}/invitations`;

/** Invitations to oneself. */
export const INVITATIONS = '/api/v1/invitations';

export const placeName = (org: string, project: string | undefined): string =>
  project === undefined ? org : `${org}/${project}`;
