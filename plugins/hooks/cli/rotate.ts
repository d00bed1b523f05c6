import { described, type Run, readSecret } from '../../../cli/contract.ts';
import { type EventHook, SHOWN } from './view.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const api = await client();
  const path = api.scoped(`/event-hooks/${encodeURIComponent(args[0]!)}/rotate`);
  const body = flags.key === undefined ? {} : { key: await readSecret(String(flags.key), '--key', invocation) };
  const hook = await api.json<EventHook>({ method: 'POST', path, body });
  output.data(hook, () => described(SHOWN, hook, output));
  output.note(
    `event hook ${args[0]} has a new ${hook.secret === undefined ? 'key' : 'secret'}; the old one is no longer valid`,
  );
  return undefined;
};
