import type { Run } from '../../command.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  await api.json({ method: 'DELETE', path: api.scoped(`/handlers/${encodeURIComponent(args[0]!)}`) });
  output.note(`handler ${args[0]} is removed`);
  return undefined;
};
