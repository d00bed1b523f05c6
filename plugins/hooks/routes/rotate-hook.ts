import type { HttpAddress, Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { RotateHook } from '../generated/rotate-hook.ts';
import hookSchema from '../schema/hook.schema.json' with { type: 'json' };
import bodySchema from '../schema/rotate-hook.schema.json' with { type: 'json' };
import type { HookVault } from '../service/hook-vault.ts';
import { renderHook } from '../service/render.ts';
import { ADMIN, HOOK, nameOf } from './shapes.ts';

/** `POST {scoped}/event-hooks/{name}/rotate`: the old secret counts no more from the moment this is answered. */
export const rotateHookRoute = (vault: HookVault, address: HttpAddress): Route => ({
  method: 'POST',
  path: `${HOOK}/rotate`,
  operation: 'rotateEventHook',
  summary: 'Replace the secret of an event hook',
  access: ADMIN,
  body: bodySchema,
  responses: { 200: { description: 'Replaced. A shared token is shown this once.', schema: hookSchema } },
  async handle(request) {
    const body = request.body as RotateHook;
    const { row, secret } = await vault.rotate(request.scope, nameOf(request), body, auditSource(request));
    return { status: 200, json: renderHook(address, row, secret) };
  },
});
