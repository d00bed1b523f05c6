import type { Route } from '../../../kernel/contracts/index.ts';
import { oldSecretHeader } from '../deliveries/contract.ts';
import { namedResource } from '../../platform/resources/contract.ts';
import { WORKFLOW_BODY_LIMIT, withWorkflow } from '../../engine/runs/contract.ts';
import { SIGNED_BYTES } from './domain/read-delivery.ts';
import { WEBHOOK } from './domain/webhook-rules.ts';
import type { RotateWebhook } from './generated/rotate-webhook.ts';
import put from './schema/put-webhook.schema.json' with { type: 'json' };
import rotate from './schema/rotate-webhook.schema.json' with { type: 'json' };
import taken from './schema/taken-delivery.schema.json' with { type: 'json' };
import warnings from './schema/webhook-warnings.schema.json' with { type: 'json' };
import item from './schema/webhook.schema.json' with { type: 'json' };
import type { Deliveries } from './service/deliveries.ts';
import type { Webhooks } from './service/webhooks.ts';

/** A secret is shown only in the answer that created it. After `DELETE`, runs that have started continue. */
export const webhookRoutes = (service: Webhooks): Route[] =>
  namedResource({
    ...WEBHOOK,
    roles: { read: 'viewer', write: 'admin' },
    schemas: { put: withWorkflow(put), item },
    service,
    body_limit: WORKFLOW_BODY_LIMIT,
    removed: {
      description: 'The webhook was removed from svc, but the forge still has it; the response contains the reason.',
      schema: warnings,
    },
    texts: {
      list: 'List the webhooks of forges, newest first',
      get: 'Show a webhook of a forge',
      received_text: 'The current state of the webhook.',
      put: 'Create or replace a webhook for a repository at a forge',
      replaced: 'Replaced; its address and, unless rotated, its secret are unchanged.',
      remove: 'Remove a webhook, and its registration at the forge if there is one',
    },
    actions: [
      {
        method: 'POST',
        path: 'rotate',
        operation: 'rotateWebhook',
        summary: "Replace a webhook's secret",
        role: 'write',
        body: rotate,
        answer: { description: 'Replaced. The secret is shown only once.', schema: item },
        handle: (call, { body }) => service.rotate(call, body as RotateWebhook),
      },
    ],
  });

/** `POST {base}/api/v1/forges/{webhook_id}` is public, because the signature authenticates the sender. */
export const deliveryRoute = (deliveries: Deliveries): Route => ({
  method: 'POST',
  path: '/api/v1/forges/:webhook_id',
  operation: 'deliverToWebhook',
  summary: 'Accept a delivery from a forge',
  access: { kind: 'public' },
  stream_body: true,
  buffers_body: true,
  body_limit: SIGNED_BYTES,
  responses: {
    202: { description: 'Recorded as an event, now or by an earlier delivery with this ID.', schema: taken },
  },
  async handle(request) {
    const { event_id, type, duplicate, old_until } = await deliveries.accept(request.params.webhook_id ?? '', request);
    return {
      status: 202,
      json: { event_id, event_type: type, duplicate: duplicate || undefined },
      headers: oldSecretHeader(old_until),
    };
  },
});
