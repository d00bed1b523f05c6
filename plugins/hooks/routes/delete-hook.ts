import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { HookVault } from '../service/hook-vault.ts';
import { ADMIN, HOOK, nameOf } from './shapes.ts';

/** `DELETE {scoped}/event-hooks/{name}`: its address answers from now on as if it had never been. */
export const deleteHookRoute = (vault: HookVault): Route => ({
  method: 'DELETE',
  path: HOOK,
  operation: 'deleteEventHook',
  summary: 'Remove an event hook',
  access: ADMIN,
  responses: { 204: { description: 'Removed.' } },
  async handle(request) {
    await vault.remove(request.scope, nameOf(request), auditSource(request));
    return { status: 204 };
  },
});
