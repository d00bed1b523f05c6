import { orgOf } from './paths.ts';
import type { Api, Run } from '../../../../cli/contract.ts';

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const me = await api.json<Api.Whoami>({ path: '/api/v1/whoami' });
  const projects = me.orgs.find((one) => one.org === orgOf(api))?.projects ?? [];
  output.data({ projects }, () =>
    projects.length > 0
      ? output.table(
          ['project', 'role'],
          projects.map((one) => [one.project, one.role]),
        )
      : '',
  );
  if (projects.length === 0) output.noteEmpty('projects');
  return undefined;
};
