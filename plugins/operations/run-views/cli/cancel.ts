import type { Run } from '../../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import { describeRun } from './describe.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const record = await api.json<RunView>({
    method: 'POST',
    path: api.scoped(`/runs/${encodeURIComponent(args[0]!)}/cancel`),
    body: { reason: flags.reason },
  });
  output.data(record, () => describeRun(record, output));
  return undefined;
};
