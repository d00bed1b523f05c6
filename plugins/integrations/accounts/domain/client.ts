import { type Fault, Errors } from '../../../../kernel/contracts/index.ts';
import { readAssertionKey, type ClientGrant } from '../../providers/contract.ts';
import type { ConnectClientAccount } from '../generated/connect-client.ts';

/** The client of an account, and what only its requests for tokens may contain. */
export interface AccountClient {
  client: ClientGrant;
  /** Its secret or its private key. */
  secret: string;
}

const DEFAULT_LIFETIME_SECS = 300;

const KEY_ONLY = ['private_key', 'key_id', 'algorithm', 'subject', 'lifetime_secs'] as const;

/** Reads what a caller sent. Throws `invalid_request` with every fault; none repeats a value. */
export function readClient(body: ConnectClientAccount, default_scopes: readonly string[]): AccountClient {
  return body.grant === 'client_credentials'
    ? readSecretClient(body, default_scopes)
    : readKeyClient(body, default_scopes);
}

function readSecretClient(body: ConnectClientAccount, default_scopes: readonly string[]): AccountClient {
  const { client_id, client_secret, audience, scopes = [...default_scopes] } = body;
  const errors: Fault[] = KEY_ONLY.filter((name) => body[name] !== undefined).map((name) => ({
    pointer: `/${name}`,
    message: 'cannot be combined with the grant client_credentials',
  }));
  if (client_id === undefined) errors.push({ pointer: '/client_id', message: 'is required' });
  if (client_secret === undefined) errors.push({ pointer: '/client_secret', message: 'is required' });
  if (client_secret !== undefined && /\p{Cc}/u.test(client_secret))
    errors.push({ pointer: '/client_secret', message: 'must not contain control characters' });
  if (errors.length > 0) throw invalid(errors);
  return {
    client: { grant: 'client_credentials', client_id: client_id!, scopes, audience },
    secret: client_secret!,
  };
}

function readKeyClient(body: ConnectClientAccount, default_scopes: readonly string[]): AccountClient {
  const { client_secret, private_key, algorithm, subject, audience, scopes = [...default_scopes] } = body;
  const errors: Fault[] = [];
  if (client_secret !== undefined)
    errors.push({ pointer: '/client_secret', message: 'cannot be combined with the grant jwt_bearer' });
  const file = private_key === undefined ? undefined : readKeyFile(private_key);
  const client_id = body.client_id ?? file?.client_id;
  if (client_id === undefined) errors.push({ pointer: '/client_id', message: 'is required' });
  if (file === undefined) errors.push({ pointer: '/private_key', message: 'is required' });
  const key = file === undefined ? undefined : readAssertionKey(file.pem, algorithm);
  if (key !== undefined && 'error' in key) errors.push({ pointer: '/private_key', message: key.error });
  if (errors.length > 0 || key === undefined || 'error' in key) throw invalid(errors);
  return {
    client: {
      grant: 'jwt_bearer',
      client_id: client_id!,
      scopes,
      audience,
      subject,
      key_id: body.key_id ?? file!.key_id,
      algorithm: key.algorithm,
      lifetime_secs: body.lifetime_secs ?? DEFAULT_LIFETIME_SECS,
    },
    secret: file!.pem,
  };
}

const invalid = (errors: Fault[]) =>
  Errors.invalidRequest(errors.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join('; '), {
    errors: errors,
  });

interface KeyFile {
  pem: string;
  client_id?: string;
  key_id?: string;
}

/** Clouds give out the key of a service account as a JSON file, together with its client and its ID. */
function readKeyFile(text: string): KeyFile {
  if (!text.trimStart().startsWith('{')) return { pem: text };
  const { private_key, client_email, private_key_id } = parseMembers(text);
  return { pem: textOf(private_key) ?? '', client_id: textOf(client_email), key_id: textOf(private_key_id) };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= 20_000 ? value : undefined;

function parseMembers(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
