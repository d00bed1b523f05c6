import { type HttpAddress, pageQuery, readPage, type Route } from '../../../kernel/contracts/index.ts';
import type { HookVault } from '../service/hook-vault.ts';
import { renderHook } from '../service/render.ts';
import { HOOKS, listSchema, VIEWER } from './shapes.ts';

/** `GET {scoped}/event-hooks`: newest first; never a secret. */
export const listHooksRoute = (vault: HookVault, address: HttpAddress): Route => ({
  method: 'GET',
  path: HOOKS,
  operation: 'listEventHooks',
  summary: 'List the event hooks, newest first',
  access: VIEWER,
  query: pageQuery,
  responses: { 200: { description: 'A page of hooks.', schema: listSchema } },
  async handle({ scope, query }) {
    const { items, ...rest } = await vault.list(scope, readPage(query));
    return { status: 200, json: { event_hooks: items.map((row) => renderHook(address, row)), ...rest } };
  },
});
