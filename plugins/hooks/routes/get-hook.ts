import type { HttpAddress, Route } from '../../../kernel/contracts/index.ts';
import hookSchema from '../schema/hook.schema.json' with { type: 'json' };
import type { HookVault } from '../service/hook-vault.ts';
import { renderHook } from '../service/render.ts';
import { HOOK, VIEWER, nameOf } from './shapes.ts';

/** `GET {scoped}/event-hooks/{name}`: its address and how deliveries prove themselves; never a secret. */
export const getHookRoute = (vault: HookVault, address: HttpAddress): Route => ({
  method: 'GET',
  path: HOOK,
  operation: 'getEventHook',
  summary: 'Show one event hook',
  access: VIEWER,
  responses: { 200: { description: 'The hook.', schema: hookSchema } },
  async handle(request) {
    const row = await vault.read(request.scope, nameOf(request));
    return { status: 200, json: renderHook(address, row) };
  },
});
