import { pageQuery, readPage, type Route } from '../../../kernel/contracts/index.ts';
import { viewOf } from '../service/definitions.ts';
import type { Handlers } from '../service/handlers.ts';
import { HANDLERS, listSchema, VIEWER } from './shapes.ts';

/** `GET {scoped}/handlers`: newest first, without their documents. */
export const listHandlersRoute = (handlers: Handlers): Route => ({
  method: 'GET',
  path: HANDLERS,
  operation: 'listHandlers',
  summary: 'List the handlers, newest first',
  access: VIEWER,
  query: pageQuery,
  responses: { 200: { description: 'A page of handlers.', schema: listSchema } },
  async handle({ scope, query }) {
    const { items, ...rest } = await handlers.list(scope, readPage(query));
    const load = await handlers.load(scope);
    return { status: 200, json: { handlers: items.map((entry) => viewOf(entry)), ...load, ...rest } };
  },
});
