import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { PutWebhookBody } from '../generated/put-webhook.ts';
import bodySchema from '../schema/put-webhook.schema.json' with { type: 'json' };
import type { Webhooks } from '../service/webhooks.ts';
import { ADMIN, nameOf, WEBHOOK, webhookSchema } from './shapes.ts';

/** 1 MiB of document, each of whose bytes JSON may write as six (`\u0001`), and room for the rest. */
const BODY_LIMIT = 7 * 1024 * 1024;

/** `PUT {scoped}/webhooks/{name}`: 201 when it is new, 200 when it was replaced; a secret that was made is told once. */
export const putWebhookRoute = (webhooks: Webhooks): Route => ({
  method: 'PUT',
  path: WEBHOOK,
  operation: 'putWebhook',
  summary: 'Make a webhook for a repository at a forge, or replace it',
  access: ADMIN,
  body: bodySchema,
  body_limit: BODY_LIMIT,
  responses: {
    200: { description: 'Replaced; its address and, unless rotated, its secret stay.', schema: webhookSchema },
    201: { description: 'Made.', schema: webhookSchema },
  },
  async handle(request) {
    const body = request.body as PutWebhookBody;
    const { made, view } = await webhooks.set(request.scope, nameOf(request), body, auditSource(request));
    return { status: made ? 201 : 200, json: view };
  },
});
