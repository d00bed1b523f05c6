import type { Run } from '../../command.ts';
import { showWebhook, type Webhook } from './shown.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  showWebhook(output, await api.json<Webhook>({ path: api.scoped(`/webhooks/${encodeURIComponent(args[0]!)}`) }));
  return undefined;
};
