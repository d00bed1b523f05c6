import { type Run, usageError } from '../../../../cli/contract.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  if (flags.entity === undefined) throw usageError('--entity is missing', 'svc state get <key> --entity <name>');
  const api = await client();
  const path = api.scoped(`/state/${encodeURIComponent(String(flags.entity))}/${encodeURIComponent(args[0]!)}`);
  const entry = await api.json<{ key: string; value: string }>({ path });
  output.data(entry, () => entry.value);
  return undefined;
};
