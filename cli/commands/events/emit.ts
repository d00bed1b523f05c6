import { readFile } from 'node:fs/promises';
import { type Invocation, type Run, usageError } from '../../command.ts';
import { readJson } from '../../input.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const api = await client();
  const payload = flags.payload === undefined ? undefined : await readPayload(String(flags.payload), invocation);
  const body = {
    type: args[0],
    ...(flags.key === undefined ? {} : { key: flags.key }),
    ...(payload === undefined ? {} : { payload }),
  };
  const key = flags.idempotencyKey;
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': String(key) };
  const answer = await api.json<{ event: string; duplicate?: boolean }>({
    method: 'POST',
    path: api.scoped('/events'),
    body,
    headers,
  });
  output.data(answer, () => answer.event);
  if (answer.duplicate) output.note('the key was used before: this is the first event');
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
