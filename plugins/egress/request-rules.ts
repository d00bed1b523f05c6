import { validateHeaderName } from 'node:http';
import type { EgressRequest } from '../../kernel/contracts/index.ts';
import { EgressErrors } from './errors.ts';

/** A request that may be sent if its address is allowed. */
export interface CheckedRequest {
  url: URL;
  /** The URL as errors and logs show it. */
  shown: string;
  method: string;
  headers: Record<string, string>;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/**
 * These headers control the connection or the length of the message. A caller that sets them could smuggle another
 * request.
 */
const OURS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const SHOWN_LENGTH = 300;

/** The URL without user, query and fragment. */
export const shownUrl = (url: URL): string => `${url.origin}${url.pathname}`.slice(0, SHOWN_LENGTH);

/** Throws `egress_refused`. The message contains no header value and no secret part of a URL. */
export function checkRequest(request: EgressRequest): CheckedRequest {
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
  if (!url) throw EgressErrors.egressRefused('the URL of the request is not valid');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw EgressErrors.egressRefused(`the URL must begin with http: or https:, not with ${url.protocol.slice(0, 32)}`);
  const shown = request.shown_url ?? shownUrl(url);
  if (url.username !== '' || url.password !== '')
    throw EgressErrors.egressRefused(`${shown}: the URL must not contain a user or a password; use a credential`);
  if (!METHODS.includes(request.method))
    throw EgressErrors.egressRefused(`${shown}: the method must be one of ${METHODS.join(', ')}`);
  return { url, shown, method: request.method, headers: checkHeaders(request.headers ?? {}, shown) };
}

function checkHeaders(given: Readonly<Record<string, string>>, shown: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    const fault = headerFault(lower, value) ?? (Object.hasOwn(headers, lower) ? 'is given twice' : undefined);
    if (fault !== undefined)
      throw EgressErrors.egressRefused(`${shown}: header ${JSON.stringify(name.slice(0, 64))} ${fault}`);
    headers[lower] = value;
  }
  return headers;
}

function headerFault(name: string, value: string): string | undefined {
  if (!isToken(name)) return 'has a name that HTTP does not allow';
  if (OURS.has(name)) return 'is set by the service';
  if (/[\r\n\0]/.test(value)) return 'contains a line break or NUL';
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) return 'contains characters that HTTP does not allow';
  return undefined;
}

function isToken(name: string): boolean {
  try {
    validateHeaderName(name);
    return true;
  } catch {
    return false;
  }
}
