import { Exit, type Run } from '../../../cli/contract.ts';
import { followAway } from './follow.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const answer = await api.json<{ run_id: string }>({
    method: 'POST',
    path: api.scoped(`/runs/${encodeURIComponent(args[0]!)}/rerun`),
    body: { from: flags.from },
  });
  if (!flags.follow) {
    output.data(answer, () => answer.run_id);
    return Exit.ok;
  }
  output.note(`run ${answer.run_id}`);
  return followAway(api, answer.run_id, output);
};
