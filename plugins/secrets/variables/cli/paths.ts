import { type Client, type Invocation, usageError } from '../../../../cli/contract.ts';

/** Returns the path of the variables of the project or, with `--org`, of its org. */
export function variablesPath(api: Client, { flags }: Pick<Invocation, 'flags'>): string {
  if (flags.org !== true) return api.scoped('/vars');
  const { org } = api.profile;
  if (org === '') throw usageError('no org is selected', 'set SVC_ORG, or log in with --org');
  return `/api/v1/orgs/${encodeURIComponent(org)}/vars`;
}
