import type { Whoami } from '../generated/api.ts';
import { formatLabels } from '../output/columns.ts';
import type { Run } from '../command.ts';

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const me = await api.json<Whoami>({ path: '/api/v1/whoami' });
  const { url, org, project, origin, token_origin } = api.profile;
  output.data({ ...me, server: url, profile: { org, project, origin, token_origin } }, () =>
    formatLabels([
      ['user', me.user.name],
      ['server', `${url} (from ${origin})`],
      [
        'token',
        `${me.token.name}${me.token.expires_at ? `, expires ${output.time(me.token.expires_at)}` : ''} (from ${token_origin})`,
      ],
      ['here', `${org || '(no org)'} / ${project || '(no project)'}`],
      ...me.orgs.map(
        (one) =>
          [
            'org',
            `${one.org} (${one.role}): ${one.projects.map((p) => `${p.project} (${p.role})`).join(', ')}`,
          ] as const,
      ),
    ]),
  );
  return undefined;
};
