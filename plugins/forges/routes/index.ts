import type { Route } from '../../../kernel/contracts/index.ts';
import type { Deliveries } from '../service/deliveries.ts';
import type { Webhooks } from '../service/webhooks.ts';
import { deleteWebhookRoute } from './delete-webhook.ts';
import { getWebhookRoute } from './get-webhook.ts';
import { listWebhooksRoute } from './list-webhooks.ts';
import { putWebhookRoute } from './put-webhook.ts';
import { takeDeliveryRoute } from './take-delivery.ts';

export const forgeRoutes = (webhooks: Webhooks, deliveries: Deliveries): Route[] => [
  listWebhooksRoute(webhooks),
  getWebhookRoute(webhooks),
  putWebhookRoute(webhooks),
  deleteWebhookRoute(webhooks),
  takeDeliveryRoute(deliveries),
];
