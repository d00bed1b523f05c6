import type { Run } from '../../command.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = api.scoped(`/webhooks/${encodeURIComponent(args[0]!)}`);
  const answer = await api.json<{ warnings: string[] } | undefined>({ method: 'DELETE', path });
  for (const warning of answer?.warnings ?? []) output.note(`warning: ${warning}`);
  output.note(`webhook ${args[0]} is removed`);
  return undefined;
};
