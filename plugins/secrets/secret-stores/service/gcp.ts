import { createPrivateKey, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { Found } from '../domain/found-value.ts';
import type { Login, ServiceAccount } from '../domain/options.ts';
import { SecretStoreErrors } from '../errors.ts';
import { type Exchange, membersOf, rejection } from './exchange.ts';
import type { OpenStore } from './stores.ts';

/** Google accepts a token that a service account signed for this audience itself, without a token exchange. */
const AUDIENCE = 'https://secretmanager.googleapis.com/';
const LIFETIME_S = 600;

const signAsync = promisify(sign) as (
  algorithm: string,
  data: Buffer,
  key: ReturnType<typeof createPrivateKey>,
) => Promise<Buffer>;

/** Calls `projects.secrets.versions.access` of Google Secret Manager. */
export async function readGcp({ clock, send }: Exchange, store: OpenStore, path: string): Promise<Found> {
  const { label, options } = store;
  const token = await signToken(store.login as Login & { by: 'service_account' }, Math.floor(clock.now() / 1000));
  const version = path.includes('/') ? path : `${path}/versions/latest`;
  const { status, json } = await send(label, {
    method: 'GET',
    url: `${options.url}/v1/projects/${options.project}/secrets/${version}:access`,
    headers: { authorization: `Bearer ${token}` },
  });
  if (status === 404) throw SecretStoreErrors.noValue(`${label} has nothing at ${path}`);
  if (status >= 400) throw rejection(label, `answered ${status} to the request for ${path}`);
  const { data } = membersOf(json.payload);
  if (typeof data !== 'string') throw rejection(label, 'did not answer with a secret');
  return Buffer.from(data, 'base64').toString();
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function signToken({ client_email, private_key, private_key_id }: ServiceAccount, now: number): Promise<string> {
  const claims = { iss: client_email, sub: client_email, aud: AUDIENCE, iat: now, exp: now + LIFETIME_S };
  const content = `${encode({ alg: 'RS256', typ: 'JWT', kid: private_key_id })}.${encode(claims)}`;
  const signature = await signAsync('RSA-SHA256', Buffer.from(content), createPrivateKey(private_key));
  return `${content}.${signature.toString('base64url')}`;
}
