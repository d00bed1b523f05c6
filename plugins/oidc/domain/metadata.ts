import { urlFault } from './urls.ts';

/** The addresses that are asked of an issuer, and whether there is no signing in without them. */
const ENDPOINTS = { authorization_endpoint: true, token_endpoint: true, jwks_uri: false, userinfo_endpoint: false };

/** Why an issuer cannot be used that says this of itself; undefined when it can. The library checks only what it reads. */
export function metadataFault(metadata: object): string | undefined {
  const said = metadata as Readonly<Record<string, unknown>>;
  for (const [name, needed] of Object.entries(ENDPOINTS)) {
    const value = said[name];
    if (value === undefined && needed) return `it names no ${name}`;
    const fault = value === undefined ? undefined : endpointFault(value);
    if (fault !== undefined) return `its ${name} ${fault}`;
  }
  const methods = said.token_endpoint_auth_methods_supported;
  const listed = methods === undefined || (Array.isArray(methods) && methods.every((one) => typeof one === 'string'));
  return listed ? undefined : 'its token_endpoint_auth_methods_supported is no list of texts';
}

const endpointFault = (value: unknown): string | undefined =>
  typeof value === 'string' ? urlFault(value.split('?')[0]!) : 'is no text';
