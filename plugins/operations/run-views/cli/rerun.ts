import { Exit, readInput, rememberSubmitted, type Run } from '../../../../cli/contract.ts';
import { followRemoteRun } from './follow.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const written = (flags.input ?? []) as readonly string[];
  const input = written.length === 0 ? undefined : await readInput(written, 'input', invocation);
  const api = await client();
  const answer = await api.json<{ run_id: string }>({
    method: 'POST',
    path: api.scoped(`/runs/${encodeURIComponent(args[0]!)}/rerun`),
    body: { from: flags.from, all: flags.all, input },
    expects: ['run_id'],
  });
  await rememberSubmitted(api, invocation, answer.run_id);
  if (!flags.follow) {
    output.data(answer, () => answer.run_id);
    return Exit.ok;
  }
  output.note(`run ${answer.run_id}`);
  return followRemoteRun(api, answer.run_id, output);
};
