import { CALLBACK_PATH } from '../contract.ts';

/** Parameters of an authorization request that this service sets itself. */
const RESERVED_PARAMETERS = [
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
];

/** Plain http is accepted only for `localhost`, 127.0.0.0/8 and [::1]. */
const isLocal = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);

/** Explains why an address is not accepted; undefined when it is. */
export function validateUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an https address';
  if (url.protocol === 'http:' && !isLocal(url)) return 'must be https; plain http is accepted for localhost only';
  if (url.username !== '' || url.password !== '') return 'must not contain a username or password';
  return url.hash === '' && !text.includes('#') ? undefined : 'must not contain a fragment (#…)';
}

export function validateAuthorizeUrl(text: string): string | undefined {
  const error = validateUrl(text);
  if (error !== undefined) return error;
  const query = new URL(text).searchParams;
  const reserved = RESERVED_PARAMETERS.find((name) => query.has(name));
  return reserved === undefined ? undefined : `must not contain the parameter ${reserved}, which svc sets itself`;
}

export function validateRedirectUri(text: string): string | undefined {
  const error = validateUrl(text);
  if (error !== undefined) return error;
  const { pathname, search } = new URL(text);
  if (search !== '') return 'must not contain a query';
  return pathname.endsWith(CALLBACK_PATH)
    ? undefined
    : `must end with ${CALLBACK_PATH}, where svc receives the responses`;
}

/**
 * Explains why `iss` of an answer (RFC 9207) does not belong to the provider; undefined when it does. When the settings
 * do not name an issuer, its origin must be that of the authorize or token endpoint.
 */
export function validateIssuer(
  iss: string,
  { issuer, authorize_url, token_url }: { issuer?: string; authorize_url: string; token_url: string },
): string | undefined {
  if (issuer !== undefined) return iss === issuer ? undefined : 'an issuer that differs from the one in its settings';
  const origin = URL.canParse(iss) ? new URL(iss).origin : undefined;
  return [authorize_url, token_url].some((url) => new URL(url).origin === origin) ? undefined : 'a foreign issuer';
}
