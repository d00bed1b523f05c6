import type { Run } from '../../../cli/contract.ts';
import { followLog } from './follow.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const run_id = encodeURIComponent(args[0]!);
  if (flags.follow) {
    await followLog(api, run_id, output, flags.timestamps === true);
    return undefined;
  }
  const response = await api.open({
    path: api.scoped(`/runs/${run_id}/logs`),
    query: flags.timestamps ? { timestamps: true } : {},
  });
  for await (const chunk of response) output.write(chunk as Buffer);
  return undefined;
};
