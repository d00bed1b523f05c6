import { orgOf } from '../../client/choose.ts';
import type { WhoAmI } from '../../client/types.ts';
import type { Run } from '../../command.ts';

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const me = await api.json<WhoAmI>({ path: '/api/v1/whoami' });
  const projects = me.orgs.find((one) => one.org === orgOf(api.profile))?.projects ?? [];
  output.data({ projects }, () =>
    projects.length > 0
      ? output.table(
          ['project', 'role'],
          projects.map((one) => [one.project, one.role]),
        )
      : '',
  );
  return undefined;
};
