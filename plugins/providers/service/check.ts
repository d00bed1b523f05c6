import { type Egress, type EgressRequest, isServiceError } from '../../../kernel/contracts/index.ts';
import type { ProviderChecks } from '../generated/provider-checks.ts';
import { redirectFault } from '../domain/urls.ts';
import type { OAuthProvider } from './oauth-provider.ts';
import type { Registry } from './registry.ts';

type Check = ProviderChecks['checks'][number];
type Verdict = Pick<Check, 'ok' | 'says'>;

/** A token that nobody has: how it is refused shows whether the client's id and secret are right. */
const NO_TOKEN = 'svc-doctor-asks-with-no-token';
const TIMEOUT_MS = 10_000;

export interface CheckParts {
  registry: Registry;
  egress: Egress;
}

/** Asks every endpoint of every provider what it says to a request that grants nothing. */
export async function checkProviders({ registry, egress }: CheckParts): Promise<ProviderChecks> {
  const providers = registry.all();
  const found = await Promise.all(providers.map((provider) => checkOne(provider, egress)));
  const redirect = providers.length === 0 ? [] : [redirectCheck(registry.redirectUri()!)];
  return { checks: [...redirect, ...found.flat()] };
}

function redirectCheck(uri: string): Check {
  const fault = redirectFault(uri);
  const says = fault === undefined ? `${uri}; each provider must have it registered` : `${uri} ${fault}`;
  return { provider: '*', endpoint: 'redirect_uri', ok: fault === undefined, says };
}

async function checkOne(provider: OAuthProvider, egress: Egress): Promise<Check[]> {
  const { name, authorize_url, identity, revoke_url } = provider.settings;
  const of = (endpoint: Check['endpoint'], { ok, says }: Verdict): Check => ({ provider: name, endpoint, ok, says });
  return [
    of('authorize_url', await answers(egress, { method: 'GET', url: authorize_url })),
    of('token_url', await tokenVerdict(provider)),
    of('identity.url', await answers(egress, { method: 'GET', url: identity.url }, [401, 403])),
    ...(revoke_url === undefined ? [] : [of('revoke_url', await revokeVerdict(provider))]),
  ];
}

/** Any answer of the address will do; without a token it may say 401. */
async function answers(egress: Egress, request: EgressRequest, good: readonly number[] = []): Promise<Verdict> {
  try {
    const { status } = await egress.request({ ...request, timeout_ms: TIMEOUT_MS, may_cut: true });
    if (good.includes(status) || status <= 400) return { ok: true, says: `answers ${status}` };
    const what = status >= 500 ? 'the provider has a fault' : 'is the address right?';
    return { ok: false, says: `answers ${status}: ${what}` };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { ok: false, says: `${error.message} → ${error.next}` };
  }
}

async function tokenVerdict(provider: OAuthProvider): Promise<Verdict> {
  const outcome = await provider.renew(NO_TOKEN);
  if (outcome.outcome === 'granted') return { ok: false, says: 'grants a token to anybody' };
  if (outcome.outcome === 'refused' && outcome.gone)
    return { ok: true, says: 'knows this client, and refuses a token that nobody has' };
  if (outcome.outcome !== 'refused') return { ok: false, says: outcome.why };
  if (/invalid_client|unauthorized_client/.test(outcome.why))
    return { ok: false, says: `${outcome.why}: client_id, client_secret or token_endpoint_auth is wrong` };
  return { ok: true, says: `${outcome.why} to a token that nobody has` };
}

async function revokeVerdict(provider: OAuthProvider): Promise<Verdict> {
  const why = await provider.revoke({ access_token: NO_TOKEN });
  return why === undefined ? { ok: true, says: 'answers' } : { ok: false, says: why };
}
