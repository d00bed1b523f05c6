import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { Webhooks } from '../service/webhooks.ts';
import { ADMIN, nameOf, warningsSchema, WEBHOOK } from './shapes.ts';

/** `DELETE {scoped}/webhooks/{name}`: its address answers like one that never was; runs that it started go on. */
export const deleteWebhookRoute = (webhooks: Webhooks): Route => ({
  method: 'DELETE',
  path: WEBHOOK,
  operation: 'deleteWebhook',
  summary: 'Remove a webhook, at its forge too when it was registered there',
  access: ADMIN,
  responses: {
    200: { description: 'Removed here; the forge still has it, for the reason given.', schema: warningsSchema },
    204: { description: 'Removed.' },
  },
  async handle(request) {
    const warnings = await webhooks.remove(request.scope, nameOf(request), auditSource(request));
    return warnings.length > 0 ? { status: 200, json: { warnings } } : { status: 204 };
  },
});
