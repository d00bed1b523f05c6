import { type Api, rememberSubmitted, type Run } from '../../../../cli/contract.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const api = await client();
  const key = flags.idempotencyKey;
  const replay = await api.json<Api.ReplayedEvent>({
    method: 'POST',
    path: api.scoped(`/dead-letters/${encodeURIComponent(args[0]!)}/redeliver`),
    body: { force: flags.force || undefined },
    headers: key === undefined ? {} : { 'idempotency-key': String(key) },
    expects: ['state'],
  });
  if (replay.run_id !== undefined) await rememberSubmitted(api, invocation, replay.run_id);
  output.data(replay, () => replay.run_id ?? '');
  if (replay.run_id !== undefined) return undefined;
  output.note(`no run has started; the delivery is ${replay.state}: ${replay.reason}`);
  return 1;
};
