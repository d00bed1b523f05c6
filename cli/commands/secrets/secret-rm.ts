import type { Run } from '../../command.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  await api.json({ method: 'DELETE', path: api.scoped(`/secrets/${encodeURIComponent(args[0]!)}`) });
  output.note(`secret ${args[0]} is deleted`);
  return undefined;
};
