import type { Run } from '../../command.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = api.scoped(`/secrets/${encodeURIComponent(args[0]!)}`);
  const secret = await api.json<{ name: string; value: string; set_at: string }>({ path });
  output.data(secret, () => secret.value);
  return undefined;
};
