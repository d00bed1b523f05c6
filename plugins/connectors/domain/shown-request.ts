import type { ConnectorManifest } from '../../manifests/contract.ts';
import { CREDENTIAL_HOLE, keyText, type NodeRequest } from '../../requests/contract.ts';
import type { Json } from '../../runs/contract.ts';

/** A request as people see it: `***` stands for what its credential adds. */
export interface ShownRequest {
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
export function shownRequest(
  { credential }: ConnectorManifest,
  request: NodeRequest,
  { named, key }: { named: boolean; key: string },
): ShownRequest {
  const { method, url, headers = {}, body, encoding = 'json', sign } = request;
  const shown: { [name: string]: string } = {};
  if (credential && !sign && (credential.required !== false || named)) {
    if (credential.kind === 'bearer') shown.authorization = 'Bearer ***';
    if (credential.kind === 'basic') shown.authorization = 'Basic ***';
    if (credential.kind === 'api_key')
      shown[credential.header?.toLowerCase() ?? '(the header of the credential)'] = '***';
  }
  if (body !== undefined) shown['content-type'] = TYPES[encoding];
  if (method === 'POST' || method === 'PATCH') shown['idempotency-key'] = keyText(key);
  for (const [name, value] of Object.entries(headers)) shown[name.toLowerCase()] = value;
  if (sign?.timestamp_header) shown[sign.timestamp_header.toLowerCase()] = '(the time)';
  if (sign) shown[sign.header.toLowerCase()] = `${sign.prefix ?? ''}***`;
  return {
    method,
    url: url.replaceAll(CREDENTIAL_HOLE, '***'),
    headers: shown,
    ...(body === undefined ? {} : { body, encoding }),
  };
}

/** The request as it goes over the wire, its JSON with line breaks. */
export function textOfRequest({ method, url, headers, body, encoding }: ShownRequest): string {
  const lines = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  if (body === undefined) return lines.join('\n');
  return [...lines, '', bodyText(body, encoding)].join('\n');
}

function bodyText(body: Json, encoding: ShownRequest['encoding']): string {
  if (encoding === 'text') return String(body);
  if (encoding !== 'form') return JSON.stringify(body, null, 2);
  const pairs = Object.entries(body as { [name: string]: string | string[] });
  return new URLSearchParams(
    pairs.flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one])),
  ).toString();
}
