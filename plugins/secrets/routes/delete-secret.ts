import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { SecretVault } from '../service/vault.ts';
import { ADMIN, nameOf, SECRET } from './shapes.ts';

/** `DELETE {scoped}/secrets/{name}`: jobs claimed from now on do not get it. */
export const deleteSecretRoute = (vault: SecretVault): Route => ({
  method: 'DELETE',
  path: SECRET,
  operation: 'deleteSecret',
  summary: 'Remove a secret',
  access: ADMIN,
  responses: { 204: { description: 'Removed.' } },
  async handle(request) {
    await vault.remove(request.scope, nameOf(request), auditSource(request));
    return { status: 204 };
  },
});
