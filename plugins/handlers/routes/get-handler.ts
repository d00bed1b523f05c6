import type { Route } from '../../../kernel/contracts/index.ts';
import { viewOf } from '../service/definitions.ts';
import type { Handlers } from '../service/handlers.ts';
import { HANDLER, handlerSchema, nameOf, VIEWER } from './shapes.ts';

/** `GET {scoped}/handlers/{name}`: with its document. */
export const getHandlerRoute = (handlers: Handlers): Route => ({
  method: 'GET',
  path: HANDLER,
  operation: 'getHandler',
  summary: 'Show a handler',
  access: VIEWER,
  responses: { 200: { description: 'As it is registered.', schema: handlerSchema } },
  async handle(request) {
    const { entry, definition } = await handlers.read(request.scope, nameOf(request));
    return { status: 200, json: viewOf(entry, definition) };
  },
});
