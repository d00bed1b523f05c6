import type { CredentialFields, CredentialKind } from '../../../secrets/credentials/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { CREDENTIAL_PLACEHOLDER, type NodeRequest } from '../contract.ts';

/** How a request is authenticated. It exists only between the claim and the request. */
export type Authentication =
  | { by: 'none' }
  | { by: 'header'; name: string; value: string }
  | { by: 'url'; token: string }
  /** The request is signed with it. */
  | { by: 'key'; token: string };

/** The kinds that a request can use. */
export function requiredKinds({ url, requires_credential }: NodeRequest): readonly CredentialKind[] {
  if (requires_credential) return requires_credential.kinds;
  return kindsFor(url);
}

export const kindsFor = (url: string): readonly CredentialKind[] =>
  url.includes(CREDENTIAL_PLACEHOLDER) ? ['url_token'] : ['bearer', 'api_key', 'basic'];

/**
 * Chooses how the fields authenticate a request. A header that the node type requires wins over the stored one of an
 * `api_key`.
 */
export function toAuthentication(
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

export const serializeAuthentication = (authentication: Authentication): Json => ({ ...authentication });

/**
 * Reads the authentication that the claim prepared. It is missing only in assignments of tests, or of servers that do
 * not know requests.
 */
export function readAuthentication(prepared: Json | undefined): Authentication {
  const { by, name, value, token } = (prepared ?? {}) as Record<string, Json>;
  if (by === 'none') return { by };
  if (by === 'header' && typeof name === 'string' && typeof value === 'string') return { by, name, value };
  if ((by === 'url' || by === 'key') && typeof token === 'string') return { by, token };
  throw new Error('the assignment lacks the authentication of its request');
}
