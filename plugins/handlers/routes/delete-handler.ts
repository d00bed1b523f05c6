import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { Handlers } from '../service/handlers.ts';
import { HANDLER, MEMBER, nameOf } from './shapes.ts';

/** `DELETE {scoped}/handlers/{name}`: no event after the answer starts it; runs that it started go on. */
export const deleteHandlerRoute = (handlers: Handlers): Route => ({
  method: 'DELETE',
  path: HANDLER,
  operation: 'deleteHandler',
  summary: 'Remove a handler',
  access: MEMBER,
  responses: { 204: { description: 'Removed.' } },
  async handle(request) {
    await handlers.remove(request.scope, nameOf(request), auditSource(request));
    return { status: 204 };
  },
});
