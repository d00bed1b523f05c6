import { createHash } from 'node:crypto';
import { signHeaders } from '../../../platform/egress/contract.ts';
import type { Found } from '../domain/found-value.ts';
import type { Login } from '../domain/options.ts';
import { SecretStoreErrors } from '../errors.ts';
import { type Exchange, rejection } from './exchange.ts';
import type { OpenStore } from './stores.ts';

/** Errors that AWS answers with status 400 although the same request may succeed later. */
const TEMPORARY = /(Throttling|ThrottlingException|RequestLimitExceeded|InternalServiceError|ServiceUnavailable)$/;
const ABSENT = /ResourceNotFoundException$/;

/** Calls `GetSecretValue` of AWS Secrets Manager. */
export async function readAws({ clock, send }: Exchange, store: OpenStore, path: string): Promise<Found> {
  const { label, options } = store;
  const { access_key_id, secret_access_key } = store.login as Login & { by: 'keys' };
  const url = new URL(`${options.url}/`);
  const body = JSON.stringify({ SecretId: path });
  const headers = signHeaders(
    {
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' },
      body_digest: createHash('sha256').update(body).digest('hex'),
      region: options.region!,
      service: 'secretsmanager',
      at: clock.now(),
    },
    { access_key_id, secret_access_key },
  );
  const { status, json } = await send(label, { method: 'POST', url: url.href, headers, body });
  const type = typeof json.__type === 'string' ? json.__type : '';
  if (status >= 400 && ABSENT.test(type)) throw SecretStoreErrors.noValue(`${label} has nothing at ${path}`);
  if (status >= 400 && TEMPORARY.test(type)) throw SecretStoreErrors.unavailable(`${label} is overloaded`);
  if (status >= 400) throw rejection(label, `answered ${status} to the request for ${path}`);
  if (typeof json.SecretString === 'string') return json.SecretString;
  if (typeof json.SecretBinary === 'string') return Buffer.from(json.SecretBinary, 'base64').toString();
  throw rejection(label, 'did not answer with a secret');
}
