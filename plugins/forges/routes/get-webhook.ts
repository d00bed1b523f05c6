import type { Route } from '../../../kernel/contracts/index.ts';
import type { Webhooks } from '../service/webhooks.ts';
import { VIEWER, nameOf, WEBHOOK, webhookSchema } from './shapes.ts';

/** `GET {scoped}/webhooks/{name}`: without its secret. */
export const getWebhookRoute = (webhooks: Webhooks): Route => ({
  method: 'GET',
  path: WEBHOOK,
  operation: 'getWebhook',
  summary: 'Show a webhook of a forge',
  access: VIEWER,
  responses: { 200: { description: 'As it stands.', schema: webhookSchema } },
  async handle(request) {
    return { status: 200, json: await webhooks.read(request.scope, nameOf(request)) };
  },
});
