import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { CredentialVault } from '../service/vault.ts';
import { ADMIN, CREDENTIAL, nameOf } from './shapes.ts';

/** `DELETE {scoped}/credentials/{name}`: jobs that name it fail from now on when they are claimed. */
export const deleteCredentialRoute = (vault: CredentialVault): Route => ({
  method: 'DELETE',
  path: CREDENTIAL,
  operation: 'deleteCredential',
  summary: 'Remove a credential',
  access: ADMIN,
  responses: { 204: { description: 'Removed.' } },
  async handle(request) {
    await vault.remove(request.scope, nameOf(request), auditSource(request));
    return { status: 204 };
  },
});
