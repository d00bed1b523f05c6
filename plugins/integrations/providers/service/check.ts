import { type Egress, type EgressRequest, isServiceError } from '../../../../kernel/contracts/index.ts';
import type { ProviderChecks } from '../generated/provider-checks.ts';
import { validateRedirectUri } from '../domain/urls.ts';
import type { OAuthProvider } from './oauth-provider.ts';
import type { Registry } from './registry.ts';

type Check = ProviderChecks['checks'][number];
type EndpointResult = Pick<Check, 'ok' | 'says'>;

/** A token that does not exist. How a provider rejects it shows whether the client's id and secret are right. */
const NO_TOKEN = 'svc-doctor-asks-with-no-token';
const TIMEOUT_MS = 10_000;

export interface CheckDeps {
  registry: Registry;
  egress: Egress;
}

/** Sends every endpoint of every provider a request that grants nothing, and reports its answer. */
export async function checkProviders({ registry, egress }: CheckDeps): Promise<ProviderChecks> {
  const providers = registry.all();
  const checks = await Promise.all(providers.map((provider) => checkProvider(provider, egress)));
  const asks_people = providers.some(({ grants }) => grants.includes('authorization_code'));
  const redirect = asks_people ? [redirectCheck(registry.redirectUri()!)] : [];
  return { checks: [...redirect, ...checks.flat()] };
}

function redirectCheck(uri: string): Check {
  const error = validateRedirectUri(uri);
  const detail = error === undefined ? `${uri}; each provider must have it registered` : `${uri} ${error}`;
  return { provider: '*', endpoint: 'redirect_uri', ok: error === undefined, says: detail };
}

async function checkProvider(provider: OAuthProvider, egress: Egress): Promise<Check[]> {
  const { name, authorize_url, token_url, identity, revoke_url } = provider.settings;
  const toCheck = (endpoint: Check['endpoint'], { ok, says }: EndpointResult): Check => ({
    provider: name,
    endpoint,
    ok,
    says,
  });
  // Only accounts have a client for the other grants, so the address is all that can be checked.
  if (!provider.grants.includes('authorization_code'))
    return [toCheck('token_url', await checkAddress(egress, { method: 'POST', url: token_url }, [401, 403, 415, 422]))];
  return [
    toCheck('authorize_url', await checkAddress(egress, { method: 'GET', url: authorize_url! })),
    toCheck('token_url', await checkToken(provider)),
    toCheck('identity.url', await checkAddress(egress, { method: 'GET', url: identity!.url }, [401, 403])),
    ...(revoke_url === undefined ? [] : [toCheck('revoke_url', await checkRevocation(provider))]),
  ];
}

/** Any answer will do; without a token the address may answer 401. */
async function checkAddress(
  egress: Egress,
  request: EgressRequest,
  accepted_statuses: readonly number[] = [],
): Promise<EndpointResult> {
  try {
    const { status } = await egress.request({ ...request, timeout_ms: TIMEOUT_MS, may_truncate: true });
    if (accepted_statuses.includes(status) || status <= 400) return { ok: true, says: `answers ${status}` };
    const hint = status >= 500 ? 'the provider failed' : 'is the address right?';
    return { ok: false, says: `answers ${status}: ${hint}` };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { ok: false, says: `${error.message} → ${error.next}` };
  }
}

async function checkToken(provider: OAuthProvider): Promise<EndpointResult> {
  const outcome = await provider.renew(NO_TOKEN);
  if (outcome.outcome === 'granted') return { ok: false, says: 'grants a token to anyone' };
  if (outcome.outcome === 'refused' && outcome.revoked)
    return { ok: true, says: 'knows this client, and rejects an invalid token' };
  if (outcome.outcome !== 'refused') return { ok: false, says: outcome.why };
  if (/invalid_client|unauthorized_client/.test(outcome.why))
    return { ok: false, says: `${outcome.why}: client_id, client_secret or token_endpoint_auth is wrong` };
  return { ok: true, says: `${outcome.why} to an invalid token` };
}

async function checkRevocation(provider: OAuthProvider): Promise<EndpointResult> {
  const why = await provider.revoke({ access_token: NO_TOKEN });
  return why === undefined ? { ok: true, says: 'answers' } : { ok: false, says: why };
}
