import {
  type FlagValues,
  type Invocation,
  namedPath,
  putItem,
  type Run,
  readSecret,
  suggestHandledType,
  usageError,
} from '../../../../cli/contract.ts';
import { type EventHook, COLUMNS } from './view.ts';

export const run: Run = async (invocation) => {
  checkFlags(invocation.flags);
  const { secret } = await putItem<EventHook>(invocation, {
    expects: ['name'],
    path: namedPath('/event-hooks'),
    body: await bodyOf(invocation),
    confirmation: (made, { name }) =>
      made ? `Created event hook ${name}` : `Updated event hook ${name}; its address stays the same`,
    columns: COLUMNS,
  });
  if (secret !== undefined)
    invocation.output.note(
      'store the secret now: it is not shown again. Senders put it in the X-Svc-Hook-Secret header',
    );
  const { eventType: type } = invocation.flags;
  if (type === undefined || invocation.output.json) return undefined;
  const suggestion = await suggestHandledType(await invocation.client(), String(type));
  if (suggestion !== undefined)
    invocation.output.note(`warning: no handler matches the type ${String(type)}; did you mean \`${suggestion}\`?`);
  return undefined;
};

/** Checks which flags go together; the server checks their values. */
function checkFlags({ manifest, key, hmacHeader, hmacKey, ...rest }: FlagValues): void {
  const signed = '--manifest <connector> needs --key - or --key @file, the key that the sender signs with';
  const hmac = '--hmac-header <header> needs --hmac-key - or --hmac-key @file';
  if (manifest !== undefined && hmacHeader !== undefined)
    throw usageError('--manifest and --hmac-header cannot be combined', 'use the one that describes the signature');
  if (key !== undefined && manifest === undefined) throw usageError('--key needs --manifest', signed);
  if (manifest !== undefined && key === undefined) throw usageError('--key is missing', signed);
  if (hmacHeader !== undefined && hmacKey === undefined) throw usageError('--hmac-key is missing', hmac);
  if (hmacHeader !== undefined) return;
  const stray = Object.entries({ key: hmacKey, ...hmacSettings(rest) }).find(([, value]) => value !== undefined);
  if (stray) throw usageError(`--hmac-${stray[0]} needs --hmac-header`, hmac);
}

const hmacSettings = ({ hmacPrefix, hmacAlgorithm, hmacEncoding }: FlagValues) => ({
  prefix: hmacPrefix,
  algorithm: hmacAlgorithm,
  encoding: hmacEncoding,
});

/** Builds the body of the request. JSON omits undefined members. */
async function bodyOf(invocation: Invocation): Promise<Record<string, unknown>> {
  const { eventType: event_type, manifest, key, hmacHeader, hmacKey } = invocation.flags;
  if (manifest !== undefined) return { event_type, manifest, key: await readSecret(String(key), '--key', invocation) };
  if (hmacHeader === undefined) return { event_type };
  const secret = await readSecret(String(hmacKey), '--hmac-key', invocation);
  return { event_type, hmac: { header: hmacHeader, key: secret, ...hmacSettings(invocation.flags) } };
}
