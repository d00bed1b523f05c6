import type { Api, Run } from '../../../../cli/contract.ts';
import { variablesPath } from './paths.ts';

export const run: Run = async (invocation) => {
  const { args, output, client } = invocation;
  const api = await client();
  const path = `${variablesPath(api, invocation)}/${encodeURIComponent(args[0]!)}`;
  const variable = await api.json<Api.Variable>({ path, expects: ['value'] });
  output.data(variable, () => variable.value);
  return undefined;
};
