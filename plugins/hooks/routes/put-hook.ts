import type { HttpAddress, Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { PutHook } from '../generated/put-hook.ts';
import hookSchema from '../schema/hook.schema.json' with { type: 'json' };
import bodySchema from '../schema/put-hook.schema.json' with { type: 'json' };
import type { HookVault } from '../service/hook-vault.ts';
import { renderHook } from '../service/render.ts';
import { ADMIN, HOOK, nameOf } from './shapes.ts';

/** `PUT {scoped}/event-hooks/{name}`: 201 when it is new, 200 when it was set again. A shared token is shown when it is made. */
export const putHookRoute = (vault: HookVault, address: HttpAddress): Route => ({
  method: 'PUT',
  path: HOOK,
  operation: 'putEventHook',
  summary: 'Set an event hook',
  access: ADMIN,
  body: bodySchema,
  responses: {
    200: { description: 'Set again; its address stays, and so does its shared token.', schema: hookSchema },
    201: { description: 'Made. `secret` is shown this once.', schema: hookSchema },
  },
  async handle(request) {
    const body = request.body as PutHook;
    const { row, made, secret } = await vault.set(request.scope, nameOf(request), body, auditSource(request));
    return { status: made ? 201 : 200, json: renderHook(address, row, secret) };
  },
});
