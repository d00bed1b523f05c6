import type { EgressRequest } from '../../kernel/contracts/index.ts';
import { requestHeaderFaults } from './contract.ts';
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
  const [fault] = requestHeaderFaults(given);
  if (fault !== undefined)
    throw EgressErrors.egressRefused(`${shown}: header ${JSON.stringify(fault.name.slice(0, 64))} ${fault.message}`);
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
}
