import { CALLBACK_PATH } from '../contract.ts';

/** Parameters of an authorization request that this service sets itself. */
const OWN_PARAMETERS = [
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
];

/** `localhost`, 127.0.0.0/8 and [::1]: only there may http be plain. */
const isLocal = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);

/** Why an address is not accepted; undefined when it is. */
export function urlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an https address';
  if (url.protocol === 'http:' && !isLocal(url)) return 'must be https; plain http is accepted for localhost only';
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password';
  return url.hash === '' && !text.includes('#') ? undefined : 'must not contain a fragment (#…)';
}

export function authorizeUrlFault(text: string): string | undefined {
  const fault = urlFault(text);
  if (fault !== undefined) return fault;
  const query = new URL(text).searchParams;
  const own = OWN_PARAMETERS.find((name) => query.has(name));
  return own === undefined ? undefined : `must not contain the parameter ${own}, which svc sets itself`;
}

export function redirectFault(text: string): string | undefined {
  const fault = urlFault(text);
  if (fault !== undefined) return fault;
  const { pathname, search } = new URL(text);
  if (search !== '') return 'must not contain a query';
  return pathname.endsWith(CALLBACK_PATH) ? undefined : `must end with ${CALLBACK_PATH}, where svc takes the answers`;
}

/**
 * Why `iss` of an answer (RFC 9207) is not that of the provider; undefined when it is. Settings need not name the issuer:
 * then its origin must be that of an address to which the provider's people and tokens go.
 */
export function issuerFault(
  iss: string,
  { issuer, authorize_url, token_url }: { issuer?: string; authorize_url: string; token_url: string },
): string | undefined {
  if (issuer !== undefined) return iss === issuer ? undefined : 'another issuer than that of its settings';
  const origin = URL.canParse(iss) ? new URL(iss).origin : undefined;
  return [authorize_url, token_url].some((url) => new URL(url).origin === origin) ? undefined : 'a foreign issuer';
}
