import { isServiceError, ServiceError } from '../../../../kernel/contracts/index.ts';
import { type Credentials, rawOf, untrustedRunDeclaresCredential } from '../../../secrets/credentials/contract.ts';
import type { Claimed, ClaimPreparation } from '../../../engine/runs/contract.ts';
import { HTTP_EXECUTOR, type NodeRequest } from '../contract.ts';
import {
  type Authentication,
  toAuthentication,
  serializeAuthentication,
  requiredKinds,
} from '../domain/authentication.ts';
import { checkPlaceholder, checkRequest } from '../domain/request-rules.ts';

/**
 * Resolves the credential of a request when it is claimed. A request whose credential cannot be used fails here and is
 * never sent.
 */
export const prepareClaim = (credentials: () => Credentials): ClaimPreparation => ({
  executor: HTTP_EXECUTOR,
  async prepare(claimed) {
    const request = checkRequest(claimed.spec);
    if (request.credential === undefined) return { given: serializeAuthentication({ by: 'none' }), masks: [] };
    const { authentication, masks } = await authenticate(credentials(), claimed, request, request.credential);
    return { given: serializeAuthentication(authentication), masks };
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
    const fields = await credentials.resolve(claimed, {
      name,
      kinds: requiredKinds(request),
      by: claimed,
      destination: { url: request.url },
    });
    const authentication = toAuthentication(fields, request);
    checkPlaceholder(authentication, request);
    const { value, masks } = rawOf(fields);
    return { authentication, masks: [value, ...masks] };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw new ServiceError(error.definition, `node ${claimed.name}: ${error.message}`, error.extras);
  }
}
