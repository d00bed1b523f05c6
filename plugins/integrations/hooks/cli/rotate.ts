import { formatItem, type Run, readSecret, usageError } from '../../../../cli/contract.ts';
import { type EventHook, COLUMNS } from './view.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  const api = await client();
  const path = api.scoped(`/event-hooks/${encodeURIComponent(args[0]!)}/rotate`);
  const { overlap, endOverlap } = flags;
  if (endOverlap && (overlap !== undefined || flags.key !== undefined))
    throw usageError(
      '--end-overlap cannot be combined with other flags',
      'it does not create a new secret; rotate again to get one',
    );
  const key = flags.key === undefined ? undefined : await readSecret(String(flags.key), '--key', invocation);
  const body = { key, overlap, end_overlap: endOverlap || undefined };
  const hook = await api.json<EventHook>({ method: 'POST', path, body, expects: ['name'] });
  output.data(hook, () => formatItem(COLUMNS, hook, output));
  const old = hook.old_secret_until === undefined ? 'is no longer valid' : `is valid until ${hook.old_secret_until}`;
  output.note(
    endOverlap
      ? `Ended the old secret of event hook ${args[0]}`
      : `Replaced the ${hook.secret === undefined ? 'key' : 'secret'} of event hook ${args[0]}; the old one ${old}`,
  );
  return undefined;
};
