import { pageQuery, readPage, type Route } from '../../../kernel/contracts/index.ts';
import type { Webhooks } from '../service/webhooks.ts';
import { listSchema, VIEWER, WEBHOOKS } from './shapes.ts';

/** `GET {scoped}/webhooks`: newest first; of the workflows only kind and file name. */
export const listWebhooksRoute = (webhooks: Webhooks): Route => ({
  method: 'GET',
  path: WEBHOOKS,
  operation: 'listWebhooks',
  summary: 'List the webhooks of forges, newest first',
  access: VIEWER,
  query: pageQuery,
  responses: { 200: { description: 'A page of webhooks.', schema: listSchema } },
  async handle({ scope, query }) {
    const { items, ...rest } = await webhooks.list(scope, readPage(query));
    return { status: 200, json: { webhooks: items, ...rest } };
  },
});
