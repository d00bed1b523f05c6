import { readFile } from 'node:fs/promises';
import { type Api, type Invocation, readJson, type Run, usageError } from '../../../cli/contract.ts';

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

async function readPayload(given: string, source: Invocation): Promise<unknown> {
  if (!given.startsWith('@')) return readJson(given, 'payload', source);
  const path = given.slice(1);
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw usageError(`cannot read ${path}: ${error.message}`, '--payload takes JSON, - or @file');
  });
  return readJson(text, 'payload', source);
}
