import { isServiceError, ServiceError } from '../../../kernel/contracts/index.ts';
import { type Credentials, rawOf, untrustedRunDeclaresCredential } from '../../credentials/contract.ts';
import type { Claimed, ClaimPreparation } from '../../runs/contract.ts';
import { CREDENTIAL_HOLE, HTTP_EXECUTOR, type NodeRequest } from '../contract.ts';
import { type Authentication, authenticationBy, givenOf, wantedKinds } from '../domain/given.ts';
import { checkRequest, requestInvalid } from '../domain/request-rules.ts';

/**
 * Resolves the credential of a request when it is claimed. A request whose credential cannot be used is never sent: it
 * fails here.
 */
export const prepareClaim = (credentials: () => Credentials): ClaimPreparation => ({
  executor: HTTP_EXECUTOR,
  async prepare(claimed) {
    const request = checkRequest(claimed.spec);
    if (request.credential === undefined) return { given: givenOf({ by: 'none' }), masks: [] };
    const { authentication, masks } = await authenticate(credentials(), claimed, request, request.credential);
    return { given: givenOf(authentication), masks };
  },
});

async function authenticate(
  credentials: Credentials,
  claimed: Claimed,
  request: NodeRequest,
  name: string,
): Promise<{ authentication: Authentication; masks: readonly string[] }> {
  if (!claimed.trusted)
    throw untrustedRunDeclaresCredential(`node ${claimed.name} of an untrusted run names the credential ${name}`);
  try {
    const fields = await credentials.resolve(claimed, { name, kinds: wantedKinds(request), by: claimed });
    const authentication = authenticationBy(fields, request);
    if (authentication.by === 'url' && !request.url.includes(CREDENTIAL_HOLE))
      throw requestInvalid([{ pointer: '/url', message: `must hold ${CREDENTIAL_HOLE}, where the token is put` }]);
    const { value, masks } = rawOf(fields);
    return { authentication, masks: [value, ...masks] };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw new ServiceError(error.definition, `node ${claimed.name}: ${error.message}`, error.extras);
  }
}
