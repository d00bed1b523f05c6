import type { Run } from '../../command.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  await api.json({ method: 'DELETE', path: api.scoped(`/schedules/${encodeURIComponent(args[0]!)}`) });
  output.note(`schedule ${args[0]} is removed`);
  return undefined;
};
