import type { Run } from '../../command.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  await api.json({ method: 'DELETE', path: `/api/v1/tokens/${encodeURIComponent(args[0]!)}` });
  output.note(`token ${args[0]} is revoked`);
  return undefined;
};
