import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { Access } from '../service/access.ts';
import { callerOf } from './shapes.ts';

export const deleteToken = (access: Access): Route => ({
  method: 'DELETE',
  path: '/api/v1/tokens/:id',
  operation: 'deleteToken',
  summary: 'Revokes a token.',
  access: { kind: 'user' },
  responses: { 204: { description: 'Revoked.' } },
  async handle(request) {
    const { id } = request.params;
    await access.tokens.revoke(await callerOf(access, request), id!, auditSource(request));
    return { status: 204 };
  },
});
