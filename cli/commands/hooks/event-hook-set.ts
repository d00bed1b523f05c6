import { type FlagValues, type Invocation, type Run, usageError } from '../../command.ts';
import { readSecret } from '../../input.ts';
import { type EventHook, showHook } from './shown.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const name = args[0]!;
  checkFlags(flags);
  const api = await client();
  const body = await bodyOf(invocation);
  const path = api.scoped(`/event-hooks/${encodeURIComponent(name)}`);
  const { status, body: hook } = await api.answer<EventHook>({ method: 'PUT', path, body });
  showHook(output, hook);
  output.note(`event hook ${name} is ${status === 201 ? 'made' : 'set again, its address stays'}`);
  if (hook.secret !== undefined) output.note('keep the secret now: it is not shown again');
  return undefined;
};

/** Which flags go together; what their values may be is told by the server. */
function checkFlags({ manifest, key, hmacHeader, hmacKey, ...rest }: FlagValues): void {
  const signed = '--manifest <connector> takes --key - or --key @file, the key that the far end signs with';
  const hmac = '--hmac-header <header> takes --hmac-key - or --hmac-key @file';
  if (manifest !== undefined && hmacHeader !== undefined)
    throw usageError('--manifest and --hmac-header exclude each other', 'give the one that says what is signed');
  if (key !== undefined && manifest === undefined) throw usageError('--key goes with --manifest', signed);
  if (manifest !== undefined && key === undefined) throw usageError('--key is missing', signed);
  if (hmacHeader !== undefined && hmacKey === undefined) throw usageError('--hmac-key is missing', hmac);
  if (hmacHeader !== undefined) return;
  const stray = Object.entries({ key: hmacKey, ...hmacSettings(rest) }).find(([, value]) => value !== undefined);
  if (stray) throw usageError(`--hmac-${stray[0]} goes with --hmac-header`, hmac);
}

const hmacSettings = ({ hmacPrefix, hmacAlgorithm, hmacEncoding }: FlagValues) => ({
  prefix: hmacPrefix,
  algorithm: hmacAlgorithm,
  encoding: hmacEncoding,
});

/** What is undefined is left out of the JSON. */
async function bodyOf(invocation: Invocation): Promise<Record<string, unknown>> {
  const { eventType: event_type, manifest, key, hmacHeader, hmacKey } = invocation.flags;
  if (manifest !== undefined) return { event_type, manifest, key: await readSecret(String(key), '--key', invocation) };
  if (hmacHeader === undefined) return { event_type };
  const secret = await readSecret(String(hmacKey), '--hmac-key', invocation);
  return { event_type, hmac: { header: hmacHeader, key: secret, ...hmacSettings(invocation.flags) } };
}
