import { type Api, rememberSubmitted, type Run } from '../../../../cli/contract.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const api = await client();
  const tick = await api.json<Api.TriggeredSchedule>({
    method: 'POST',
    path: api.scoped(`/schedules/${encodeURIComponent(args[0]!)}/trigger`),
    headers: flags.idempotencyKey === undefined ? {} : { 'idempotency-key': String(flags.idempotencyKey) },
  });
  if (tick.run_id !== undefined) await rememberSubmitted(api, invocation, tick.run_id);
  output.data(tick, () => tick.run_id ?? tick.event);
  if (tick.error === undefined) return undefined;
  output.note(`Recorded the tick, but could not start its workflow: ${tick.error}`);
  return 1;
};
