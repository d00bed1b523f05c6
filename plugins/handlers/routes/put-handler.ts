import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { PutHandlerBody } from '../generated/put-handler.ts';
import bodySchema from '../schema/put-handler.schema.json' with { type: 'json' };
import { viewOf } from '../service/definitions.ts';
import type { Handlers } from '../service/handlers.ts';
import { HANDLER, handlerSchema, MEMBER, nameOf } from './shapes.ts';

/** 1 MiB of document, each of whose bytes JSON may write as six (`\u0001`), and its environment. */
const BODY_LIMIT = 20 * 1024 * 1024;

/** `PUT {scoped}/handlers/{name}`: 201 when it is new, 200 when it was replaced; it serves events from then on. */
export const putHandlerRoute = (handlers: Handlers): Route => ({
  method: 'PUT',
  path: HANDLER,
  operation: 'putHandler',
  summary: 'Register a handler, or replace it',
  access: MEMBER,
  body: bodySchema,
  body_limit: BODY_LIMIT,
  responses: {
    200: { description: 'Replaced.', schema: handlerSchema },
    201: { description: 'Registered.', schema: handlerSchema },
  },
  async handle(request) {
    const name = nameOf(request);
    const body = request.body as PutHandlerBody;
    const { made, entry, definition } = await handlers.set(request.scope, name, body, auditSource(request));
    return { status: made ? 201 : 200, json: viewOf(entry, definition) };
  },
});
