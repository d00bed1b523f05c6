import type { Api, Run } from '../../../../cli/contract.ts';

const NONE = 'none';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const [wanted] = args;
  const path = api.scoped('/run-settings');
  const settings = await api.json<Api.RunSettings>(
    wanted === undefined ? { path } : { method: 'PUT', path, body: { timeout: wanted === NONE ? null : wanted } },
  );
  output.data(settings, () => settings.timeout ?? NONE);
  return undefined;
};
