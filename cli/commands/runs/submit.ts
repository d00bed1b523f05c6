import { Exit, type Run } from '../../command.ts';
import { readPairs } from '../../input.ts';
import { submission } from './document.ts';
import { follow } from './follow.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output } = invocation;
  const client = await invocation.client();
  const list = (name: string) => flags[name] as readonly string[];
  const body = {
    ...(await submission(args[0]!, flags, invocation)),
    ...(list('tag').length > 0 ? { tags: list('tag') } : {}),
    ...(list('requires').length > 0 ? { requires: list('requires') } : {}),
    ...(list('cancelOn').length > 0 ? { cancel_on: list('cancelOn') } : {}),
    ...(list('credential').length > 0 ? { credentials: readPairs(list('credential'), 'credential') } : {}),
    ...(flags.subject === undefined ? {} : { subject: flags.subject }),
    ...(flags.idempotencyKey === undefined ? {} : { idempotency_key: flags.idempotencyKey }),
  };
  const answer = await client.json<{ run_id: string; duplicate?: boolean; source_differs?: boolean }>({
    method: 'POST',
    path: client.scoped('/runs'),
    body,
  });
  if (answer.duplicate) {
    const differs = answer.source_differs ? '; its source differs from this one' : '';
    output.note(`duplicate: this key was used for ${answer.run_id}${differs}`);
  }
  if (!flags.follow) {
    output.data(answer, () => answer.run_id);
    return Exit.ok;
  }
  output.note(`run ${answer.run_id}`);
  return follow(client, answer.run_id, output);
};
