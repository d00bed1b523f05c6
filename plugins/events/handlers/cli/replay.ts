import { type Api, rememberSubmitted, type Run, usageError } from '../../../../cli/contract.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  if (flags.handler === undefined)
    throw usageError('--handler is missing', 'name the handler to deliver the event to; svc handler ls lists them');
  const api = await client();
  const replay = await api.json<Api.ReplayedEvent>({
    method: 'POST',
    path: api.scoped(`/events/${encodeURIComponent(args[0]!)}/replay`),
    body: { handler: flags.handler, force: flags.force || undefined },
    headers: flags.idempotencyKey === undefined ? {} : { 'idempotency-key': String(flags.idempotencyKey) },
  });
  if (replay.run_id !== undefined) await rememberSubmitted(api, invocation, replay.run_id);
  output.data(replay, () => replay.run_id ?? '');
  if (replay.duplicate) output.note('the idempotency key was used before; this is the first replay');
  if (replay.run_id !== undefined) return undefined;
  output.note(`no run has started; the replay is ${replay.state}: ${replay.reason}`);
  return 1;
};
