import {
  Exit,
  type Invocation,
  readWorkflow,
  rememberSubmitted,
  type Run,
  sendIncluded,
  usageError,
} from '../../../../cli/contract.ts';
import { followRemoteRun } from './follow.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output } = invocation;
  const client = await invocation.client();
  const workflow = await readWorkflow(args[0], invocation);
  await sendIncluded(client, workflow);
  const body = {
    ...workflow,
    idempotency_key: flags.idempotencyKey,
    // A server of an earlier version does not know it.
    ...(flags.paused === true && { paused: true }),
    priority: flags.priority,
    concurrency: readConcurrency(flags),
  };
  const answer = await client.json<{ run_id: string; duplicate?: boolean; source_differs?: boolean }>({
    method: 'POST',
    path: client.scoped('/runs'),
    body,
    expects: ['run_id'],
  });
  await rememberSubmitted(client, invocation, answer.run_id);
  if (answer.duplicate) {
    const differs = answer.source_differs ? '; that run was submitted with a different request' : '';
    output.note(`duplicate: this key was used for ${answer.run_id}${differs}`);
  }
  if (!flags.follow) {
    output.data(answer, () => answer.run_id);
    return Exit.ok;
  }
  output.note(`run ${answer.run_id}`);
  return followRemoteRun(client, answer.run_id, output);
};

function readConcurrency({
  concurrencyGroup: group,
  concurrencyLimit: limit,
  concurrencyPolicy: policy,
}: Invocation['flags']) {
  if (group !== undefined) return { group, limit, policy };
  const flag = limit !== undefined ? 'limit' : policy !== undefined ? 'policy' : undefined;
  if (flag === undefined) return undefined;
  throw usageError(`--concurrency-${flag} needs a group`, 'add --concurrency-group <name>');
}
