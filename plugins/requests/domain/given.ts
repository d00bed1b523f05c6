import type { CredentialFields, CredentialKind } from '../../credentials/contract.ts';
import type { Json } from '../../runs/contract.ts';
import { CREDENTIAL_HOLE, type NodeRequest } from '../contract.ts';

/** How a request is authenticated. It exists between the claim and the request only. */
export type Authentication =
  | { by: 'none' }
  | { by: 'header'; name: string; value: string }
  | { by: 'url'; token: string }
  /** The request is signed with it. */
  | { by: 'key'; token: string };

/** The kinds that a request can use. */
export function wantedKinds({ url, requires_credential }: NodeRequest): readonly CredentialKind[] {
  if (requires_credential) return requires_credential.kinds;
  return kindsFor(url);
}

export const kindsFor = (url: string): readonly CredentialKind[] =>
  url.includes(CREDENTIAL_HOLE) ? ['url_token'] : ['bearer', 'api_key', 'basic'];

/** A header that the node's type pins wins over the stored one of an `api_key`. */
export function authenticationBy(
  fields: CredentialFields,
  { requires_credential, sign }: Pick<NodeRequest, 'requires_credential' | 'sign'>,
): Authentication {
  const pinned = requires_credential?.header;
  if (sign) return { by: 'key', token: secretOf(fields) };
  switch (fields.kind) {
    case 'bearer':
      return { by: 'header', name: 'authorization', value: `Bearer ${fields.token}` };
    case 'basic': {
      const pair = Buffer.from(`${fields.username}:${fields.password}`).toString('base64');
      return { by: 'header', name: 'authorization', value: `Basic ${pair}` };
    }
    case 'api_key':
      return { by: 'header', name: pinned ?? fields.header, value: fields.value };
    case 'url_token':
      return { by: 'url', token: fields.token };
  }
}

function secretOf(fields: CredentialFields): string {
  if (fields.kind === 'basic') return fields.password;
  return fields.kind === 'api_key' ? fields.value : fields.token;
}

export const givenOf = (authentication: Authentication): Json => ({ ...authentication });

/** What the claim brought. An assignment without it is of a server that does not know requests, or of a test. */
export function readGiven(given: Json | undefined): Authentication {
  const { by, name, value, token } = (given ?? {}) as Record<string, Json>;
  if (by === 'none') return { by };
  if (by === 'header' && typeof name === 'string' && typeof value === 'string') return { by, name, value };
  if ((by === 'url' || by === 'key') && typeof token === 'string') return { by, token };
  throw new Error('the claim of a request came without its authentication');
}
