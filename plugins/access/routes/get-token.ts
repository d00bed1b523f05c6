import type { Route } from '../../../kernel/contracts/index.ts';
import type { Access } from '../service/access.ts';
import { callerOf } from './shapes.ts';
import { tokenSchema, tokenViews } from './token-view.ts';

export const getToken = (access: Access): Route => ({
  method: 'GET',
  path: '/api/v1/tokens/:id',
  operation: 'getToken',
  summary: 'One token: its limits, expiry and last use; never its value.',
  access: { kind: 'user' },
  responses: { 200: { description: 'The token.', schema: tokenSchema } },
  async handle(request) {
    const identity = await callerOf(access, request);
    const row = await access.tokens.read(identity, request.params.id!);
    const [view] = await tokenViews(access, [row]);
    return { status: 200, json: view };
  },
});
