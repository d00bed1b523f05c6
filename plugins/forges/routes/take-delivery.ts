import type { Route } from '../../../kernel/contracts/index.ts';
import type { Deliveries } from '../service/deliveries.ts';
import { DELIVERY, takenSchema } from './shapes.ts';

/** Pushes of thousands of commits come close; what an event keeps of them is bounded further. */
const BODY_LIMIT = 8 * 1024 * 1024;

/** `POST {base}/api/v1/forges/{webhook_id}`: public, because the signature says who it is. */
export const takeDeliveryRoute = (deliveries: Deliveries): Route => ({
  method: 'POST',
  path: DELIVERY,
  operation: 'deliverToWebhook',
  summary: 'Take a delivery of a forge',
  access: { kind: 'public' },
  raw_body: true,
  body_limit: BODY_LIMIT,
  responses: {
    202: { description: 'Recorded as an event, now or by an earlier delivery of this id.', schema: takenSchema },
  },
  async handle({ params, headers, raw }) {
    const { event_id, type, duplicate } = await deliveries.take(params.webhook_id ?? '', { headers, raw });
    return { status: 202, json: { event_id, event_type: type, ...(duplicate ? { duplicate } : {}) } };
  },
});
