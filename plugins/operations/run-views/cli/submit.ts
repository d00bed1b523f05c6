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
  concurrencyThrottle: throttle,
}: Invocation['flags']) {
  if (group !== undefined) return { group, limit, policy, throttle: readThrottle(throttle) };
  const [flag] = Object.entries({ limit, policy, throttle }).find(([, value]) => value !== undefined) ?? [];
  if (flag === undefined) return undefined;
  throw usageError(`--concurrency-${flag} needs a group`, 'add --concurrency-group <name>');
}

function readThrottle(text: unknown): { limit: number; period: string } | undefined {
  if (text === undefined) return undefined;
  const [limit, period, ...rest] = String(text).split('/');
  // The server knows which numbers and periods are allowed.
  if (period !== undefined && rest.length === 0 && Number.isSafeInteger(Number(limit)))
    return { limit: Number(limit), period };
  throw usageError(
    `--concurrency-throttle has the value ${JSON.stringify(text)}, which is not a number and a period`,
    'write it like --concurrency-throttle 10/1m: at most 10 in each minute',
  );
}
