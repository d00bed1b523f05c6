import type { ConnectorManifest } from '../../manifests/contract.ts';
import { CREDENTIAL_PLACEHOLDER, keyText, type NodeRequest } from '../../requests/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';

/** A request for display, in which `***` stands for what its credential adds. */
export interface RedactedRequest {
  method: string;
  url: string;
  headers: { [name: string]: string };
  body?: Json;
  encoding?: 'json' | 'form' | 'text';
}

const TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain; charset=utf-8',
} as const;

/** `named`: a credential is named although the connector can do without. `key`: the idempotency key of the node. */
export function redactRequest(
  { credential }: ConnectorManifest,
  request: NodeRequest,
  { named, key }: { named: boolean; key: string },
): RedactedRequest {
  const { method, url, headers = {}, body, encoding = 'json', sign } = request;
  const redacted: { [name: string]: string } = {};
  if (credential && !sign && (credential.required !== false || named)) {
    if (credential.kind === 'bearer') redacted.authorization = 'Bearer ***';
    if (credential.kind === 'basic') redacted.authorization = 'Basic ***';
    if (credential.kind === 'api_key')
      redacted[credential.header?.toLowerCase() ?? '(the header of the credential)'] = '***';
  }
  if (body !== undefined) redacted['content-type'] = TYPES[encoding];
  if (method === 'POST' || method === 'PATCH') redacted['idempotency-key'] = keyText(key);
  for (const [name, value] of Object.entries(headers)) redacted[name.toLowerCase()] = value;
  if (sign?.timestamp_header) redacted[sign.timestamp_header.toLowerCase()] = '(the time)';
  if (sign) redacted[sign.header.toLowerCase()] = `${sign.prefix ?? ''}***`;
  return {
    method,
    url: url.replaceAll(CREDENTIAL_PLACEHOLDER, '***'),
    headers: redacted,
    ...(body === undefined ? {} : { body, encoding }),
  };
}

/** Formats the request as it is sent, with its JSON indented. */
export function formatRequest({ method, url, headers, body, encoding }: RedactedRequest): string {
  const lines = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  if (body === undefined) return lines.join('\n');
  return [...lines, '', formatBody(body, encoding)].join('\n');
}

function formatBody(body: Json, encoding: RedactedRequest['encoding']): string {
  if (encoding === 'text') return String(body);
  if (encoding !== 'form') return JSON.stringify(body, null, 2);
  const pairs = Object.entries(body as { [name: string]: string | string[] });
  return new URLSearchParams(
    pairs.flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one])),
  ).toString();
}
