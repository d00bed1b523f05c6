import type { Run } from '../../command.ts';
import { type EventHook, showHook } from './shown.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  showHook(output, await api.json<EventHook>({ path: api.scoped(`/event-hooks/${encodeURIComponent(args[0]!)}`) }));
  return undefined;
};
