import type { Run } from '../../command.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const body = {
    name: args[0],
    ...(flags.agent ? { kind: 'agent' } : {}),
    ...(api.profile.org === '' ? {} : { org: api.profile.org }),
    ...(flags.role === undefined ? {} : { role: flags.role }),
    ...(flags.project === undefined ? {} : { project: flags.project }),
    ...(flags.expiresIn === undefined ? {} : { expires_in: flags.expiresIn }),
  };
  const made = await api.json<{ id: string; token: string }>({ method: 'POST', path: '/api/v1/tokens', body });
  output.data(made, () => made.token);
  output.note(`token ${args[0]} (${made.id}); it is shown only this once`);
  return undefined;
};
