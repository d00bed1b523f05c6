import type { Api, Run } from '../../../../cli/contract.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const body = {
    name: args[0],
    kind: flags.agent ? 'agent' : undefined,
    org: api.profile.org || undefined,
    role: flags.role,
    project: flags.project,
    user: flags.user,
    expires_in: flags.expiresIn,
  };
  const made = await api.json<Api.CreatedToken>({ method: 'POST', path: '/api/v1/tokens', body });
  output.data(made, () => made.token);
  output.note(`Created token ${args[0]} (${made.id}), which is shown only once`);
  return undefined;
};
