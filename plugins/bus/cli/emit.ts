import { type Api, readPayload, type Run } from '../../../cli/contract.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const api = await client();
  const payload = flags.payload === undefined ? undefined : await readPayload(String(flags.payload), invocation);
  const body = {
    type: args[0],
    key: flags.key,
    payload,
  };
  const key = flags.idempotencyKey;
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': String(key) };
  const answer = await api.json<Api.EmittedEvent>({
    method: 'POST',
    path: api.scoped('/events'),
    body,
    headers,
  });
  output.data(answer, () => answer.event);
  const differs = answer.event_differs ? ', which has another type, key or payload' : '';
  if (answer.duplicate) output.note(`the idempotency key was used before; this is the first event${differs}`);
  return undefined;
};
