import type { WhoAmI } from '../../client/types.ts';
import type { Run } from '../../command.ts';

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const me = await api.json<WhoAmI>({ path: '/api/v1/whoami' });
  const { url, org, project, origin } = api.profile;
  output.data({ ...me, server: url, profile: { org, project, origin } }, () =>
    [
      `user     ${me.user.name}`,
      `server   ${url}`,
      `token    ${me.token.name}${me.token.expires_at ? `, expires ${me.token.expires_at}` : ''}`,
      `here     ${org || '(no org)'} / ${project || '(no project)'} (from ${origin})`,
      ...me.orgs.map(
        (one) => `org      ${one.org} (${one.role}): ${one.projects.map((p) => `${p.project} (${p.role})`).join(', ')}`,
      ),
    ].join('\n'),
  );
  return undefined;
};
