import { createHash, createHmac } from 'node:crypto';
import { iso } from '../../../../kernel/contracts/index.ts';

export interface AwsKeys {
  access_key_id: string;
  secret_access_key: string;
}

export interface UnsignedRequest {
  method: string;
  url: URL;
  /** Signed besides `host` and the two headers that this adds. Names are in lower case. */
  headers?: Readonly<Record<string, string>>;
  /** SHA-256 of the body in hex. */
  body_digest: string;
  region: string;
  /** As in the scope of the signature: `s3`, `secretsmanager`. */
  service: string;
  /** Epoch milliseconds. */
  at: number;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Escapes everything except letters, digits and `-._~`, as the signature requires; slashes stay. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const canonicalPath = (url: URL): string =>
  url.pathname
    .split('/')
    .map((name) => escaped(decodeURIComponent(name)))
    .join('/');

const canonicalQuery = (url: URL): string =>
  [...url.searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join('&');

/** Such as `20130524T000000Z`. */
const stamp = (at: number): string => iso(at).replaceAll(/[-:]|\.\d{3}/g, '');

/**
 * Returns the headers of a request to an AWS service, or one that is compatible with it, with AWS Signature Version 4, as described in
 * "Authenticating Requests (AWS Signature Version 4)" of the S3 API reference.
 */
export function signHeaders(
  request: UnsignedRequest,
  { access_key_id, secret_access_key }: AwsKeys,
): Record<string, string> {
  const { method, url, region, service, body_digest, at } = request;
  const time = stamp(at);
  const day = time.slice(0, 8);
  const signed_headers = { ...request.headers, 'x-amz-content-sha256': body_digest, 'x-amz-date': time };
  const all = Object.entries({ ...signed_headers, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = all.map(([name]) => name).join(';');
  const canonical = [
    method,
    canonicalPath(url),
    canonicalQuery(url),
    ...all.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    body_digest,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = [ALGORITHM, time, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret_access_key}`);
  const signature = hmac(key, text).toString('hex');
  const authorization = `${ALGORITHM} Credential=${access_key_id}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...signed_headers, authorization };
}
