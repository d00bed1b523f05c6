import type { Run } from '../../../cli/contract.ts';
import type { RunView } from './answers.ts';
import { describe } from './describe.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const record = await api.json<RunView>({ path: api.scoped(`/runs/${encodeURIComponent(args[0]!)}`) });
  output.data(record, () => describe(record, output));
  return undefined;
};
