import type { Run } from '../../command.ts';
import { readSecret } from '../../input.ts';
import { type EventHook, showHook } from './shown.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const api = await client();
  const path = api.scoped(`/event-hooks/${encodeURIComponent(args[0]!)}/rotate`);
  const body = flags.key === undefined ? {} : { key: await readSecret(String(flags.key), '--key', invocation) };
  const hook = await api.json<EventHook>({ method: 'POST', path, body });
  showHook(output, hook);
  output.note(
    `event hook ${args[0]} has a new ${hook.secret === undefined ? 'key' : 'secret'}; the old one counts no more`,
  );
  return undefined;
};
