import type { EgressRequest } from '../../../../kernel/contracts/index.ts';
import type { NodeRequest } from '../contract.ts';
import type { Authentication } from './authentication.ts';
import { signatureHeaders } from './sign.ts';
import { encodeForm, withQuery, withToken } from './url.ts';

export const TIMEOUT_MS = 60_000;
/** The limit of the decoded answer. As JSON it must fit into a record of 4 MiB. */
export const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const MAX_URL_LENGTH = 2000;

type Form = Parameters<typeof encodeForm>[0];

/** Returns the URL for messages, with the placeholder instead of the token and without the added query. */
export const displayUrl = ({ url }: Pick<NodeRequest, 'url'>): string => url.slice(0, MAX_URL_LENGTH);

/**
 * Builds the request that is sent at `now`, in milliseconds since the epoch. Headers of the request win over that of
 * its credential.
 */
export function toEgressRequest(request: NodeRequest, authentication: Authentication, now: number): EgressRequest {
  const { method, timeout_ms = TIMEOUT_MS } = request;
  const url = withQuery(request.url, request.query);
  const body = encodeBody(request);
  const headers: Record<string, string> = {};
  if (body) headers['content-type'] = body.type;
  if (authentication.by === 'header') headers[authentication.name.toLowerCase()] = authentication.value;
  for (const [name, value] of Object.entries(request.headers ?? {})) headers[name.toLowerCase()] = value;
  if (request.sign && authentication.by === 'key') {
    const signed = { body: body?.bytes ?? Buffer.alloc(0), headers, now };
    Object.assign(headers, signatureHeaders(request.sign, authentication.token, signed));
  }
  return {
    method,
    url: authentication.by === 'url' ? withToken(url, authentication.token) : url,
    redacted_url: displayUrl(request),
    headers,
    ...(body && { body: body.bytes }),
    timeout_ms,
    max_bytes: MAX_ANSWER_BYTES,
    may_truncate: true,
  };
}

function encodeBody({ body, encoding }: NodeRequest): { type: string; bytes: Buffer } | undefined {
  if (body === undefined) return undefined;
  if (encoding === 'form')
    return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(encodeForm(body as Form)) };
  if (encoding === 'text' || (encoding === undefined && typeof body === 'string'))
    return { type: 'text/plain; charset=utf-8', bytes: Buffer.from(body as string) };
  return { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) };
}
