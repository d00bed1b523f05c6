import type { EgressRequest } from '../../../kernel/contracts/index.ts';
import { validateHeaders } from './contract.ts';
import { EgressErrors } from './errors.ts';

/** A valid request, which may be sent if its address is allowed. */
export interface CheckedRequest {
  url: URL;
  /** The URL as errors and logs show it. */
  redacted_url: string;
  method: string;
  headers: Record<string, string>;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const MAX_REDACTED_LENGTH = 300;

/** Returns the URL without user, query and fragment. */
export const redactUrl = (url: URL): string => `${url.origin}${url.pathname}`.slice(0, MAX_REDACTED_LENGTH);

/** Throws `egress_refused`. The message contains no header value and no secret part of a URL. */
export function checkRequest(request: EgressRequest): CheckedRequest {
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
  if (!url) throw EgressErrors.egressRefused('the URL of the request is not valid');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw EgressErrors.egressRefused(`the URL must begin with http: or https:, not with ${url.protocol.slice(0, 32)}`);
  const redacted_url = request.redacted_url ?? redactUrl(url);
  if (url.username !== '' || url.password !== '')
    throw EgressErrors.egressRefused(
      `${redacted_url}: the URL must not contain a username or password; use a credential`,
    );
  if (!METHODS.includes(request.method))
    throw EgressErrors.egressRefused(`${redacted_url}: the method must be one of ${METHODS.join(', ')}`);
  return { url, redacted_url, method: request.method, headers: checkHeaders(request.headers ?? {}, redacted_url) };
}

function checkHeaders(headers: Readonly<Record<string, string>>, redacted_url: string): Record<string, string> {
  const [invalid] = validateHeaders(headers);
  if (invalid !== undefined)
    throw EgressErrors.egressRefused(
      `${redacted_url}: header ${JSON.stringify(invalid.name.slice(0, 64))} ${invalid.message}`,
    );
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
