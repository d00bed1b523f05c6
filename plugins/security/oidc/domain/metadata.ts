import { validateIssuerUrl } from './urls.ts';

/** The endpoints of an issuer that are used, and whether signing in needs them. */
const ENDPOINTS = { authorization_endpoint: true, token_endpoint: true, jwks_uri: false, userinfo_endpoint: false };

/** Returns why an issuer with this metadata cannot be used; undefined when it can. The library checks only what it reads. */
export function validateMetadata(metadata: object): string | undefined {
  const members = metadata as Readonly<Record<string, unknown>>;
  for (const [name, needed] of Object.entries(ENDPOINTS)) {
    const value = members[name];
    if (value === undefined && needed) return `it has no ${name}`;
    const problem = value === undefined ? undefined : validateEndpoint(value);
    if (problem !== undefined) return `its ${name} ${problem}`;
  }
  const methods = members.token_endpoint_auth_methods_supported;
  const listed = methods === undefined || (Array.isArray(methods) && methods.every((one) => typeof one === 'string'));
  return listed ? undefined : 'its token_endpoint_auth_methods_supported is not a list of strings';
}

const validateEndpoint = (value: unknown): string | undefined =>
  typeof value === 'string' ? validateIssuerUrl(value.split('?')[0]!) : 'is not text';
