import type { RunView } from '../../client/types.ts';
import type { Run } from '../../command.ts';
import { describe } from './describe.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const record = await api.json<RunView>({
    method: 'POST',
    path: api.scoped(`/runs/${encodeURIComponent(args[0]!)}/cancel`),
    body: flags.reason === undefined ? {} : { reason: flags.reason },
  });
  output.data(record, () => describe(record, output));
  return undefined;
};
