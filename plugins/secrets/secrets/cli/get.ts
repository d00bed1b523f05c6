import type { Api, Run } from '../../../../cli/contract.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = api.scoped(`/secrets/${encodeURIComponent(args[0]!)}`);
  const secret = await api.json<Api.Secret>({ path });
  output.data(secret, () => secret.value);
  return undefined;
};
