import { type Api, readPayload, type Run, suggestListenedType } from '../../../../cli/contract.ts';

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
  const emitted = await api.json<Api.EmittedEvent>({
    method: 'POST',
    path: api.scoped('/events'),
    body,
    headers,
  });
  output.data(emitted, () => emitted.event);
  const differs = emitted.event_differs ? ', which has a different type, key or payload' : '';
  if (emitted.duplicate) output.note(`the idempotency key was used before; this is the first event${differs}`);
  // Programs read JSON, and an emit of theirs needs no advice and no other request.
  if (emitted.duplicate || output.json) return undefined;
  const type = String(args[0]);
  const suggestion = await suggestListenedType(api, emitted.event, type);
  if (suggestion !== undefined) output.note(`nothing reacted to this ${type} event; did you mean \`${suggestion}\`?`);
  return undefined;
};
