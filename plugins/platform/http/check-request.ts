import type { IncomingMessage } from 'node:http';
import { Errors, type ServiceError } from '../../../kernel/contracts/index.ts';
import { HttpErrors } from './errors.ts';
import type { HttpLimits } from './limits.ts';

const HOST = /^(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const CONTROL = /\p{Cc}/u;
const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/;
const UNESCAPED = /[^\x21-\x7e]/;
const SIMPLE_PATH = /^[A-Za-z0-9/_.~:@!$'()*+,;=-]*$/;

/** Converts the absolute form that proxies use (`http://host/path`) to its path. */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

let lastHost = 'localhost';

/** Validates a host. Nearly every request names the same one, so the last valid host is cached. */
function isHost(host: string): boolean {
  if (host === lastHost) return true;
  if (!HOST.test(host) || !URL.canParse(`http://${host}/`)) return false;
  lastHost = host;
  return true;
}

/**
 * Headers that a request may have only once. Node takes the first value and a proxy may take the last, so the two would see
 * different requests. Node itself rejects a second Content-Length.
 */
const SINGLE_HEADERS = ['Host', 'Authorization', 'Content-Type', 'Origin', 'Sec-Fetch-Site', 'Idempotency-Key'];
/** No two of these have the same length, so nearly all other headers can be skipped by their length. */
const SINGLE_BY_LENGTH = new Map(SINGLE_HEADERS.map((name) => [name.length, { name, lower: name.toLowerCase() }]));

/** Returns the first header that occurs twice and must not. */
function repeatedHeader({ rawHeaders }: IncomingMessage): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]!;
    const single = SINGLE_BY_LENGTH.get(header.length);
    if (single === undefined || header.toLowerCase() !== single.lower) continue;
    if (seen.has(single.lower)) return single.name;
    seen.add(single.lower);
  }
  return undefined;
}

/** Splits a request target into path and query without decoding them. */
export function splitTarget(target: string): { path: string; search: string } {
  const query_index = target.indexOf('?');
  return query_index < 0
    ? { path: target, search: '' }
    : { path: target.slice(0, query_index), search: target.slice(query_index + 1) };
}

function findInvalidText(text: string): string | undefined {
  if (BAD_ESCAPE.test(text)) return 'contains a % that does not start an escape';
  try {
    if (CONTROL.test(decodeURIComponent(text))) return 'contains a control character';
  } catch {
    return 'contains escapes that are not UTF-8';
  }
  return undefined;
}

function checkPath(path: string): ServiceError | undefined {
  if (!path.startsWith('/')) return Errors.invalidRequest('the request target must be a path');
  if (SIMPLE_PATH.test(path) && !path.includes('/.')) return undefined;
  const problem = findInvalidText(path);
  if (problem !== undefined) return Errors.invalidRequest(`the path ${problem}`);
  const decoded = decodeURIComponent(path);
  if (DOT_SEGMENT.test(decoded) || decoded.includes('\\') || path.includes('#'))
    return Errors.invalidRequest('the path contains a dot segment, a backslash or a fragment');
  return undefined;
}

/** A query may contain encoded line breaks and tabs, but no NUL and no broken escape. */
function checkSearch(search: string): ServiceError | undefined {
  if (!search.includes('%')) return undefined;
  if (BAD_ESCAPE.test(search)) return Errors.invalidRequest('the query contains a % that does not start an escape');
  if (search.includes('%00')) return Errors.invalidRequest('the query contains a NUL');
  try {
    decodeURIComponent(search);
    return undefined;
  } catch {
    return Errors.invalidRequest('the query contains escapes that are not UTF-8');
  }
}

/**
 * Returns the error for a request that the router cannot handle. The router builds a URL from Host and target: an invalid one
 * throws outside of every handler and would end the process, and a slash in Host would change the path.
 */
export function checkRequest(request: IncomingMessage, limits: HttpLimits): ServiceError | undefined {
  const target = request.url ?? '';
  const { host } = request.headers;
  if (target.length > limits.target_bytes)
    return HttpErrors.targetTooLong(
      `the path and query are ${target.length} bytes long; the limit is ${limits.target_bytes}`,
    );
  if (host === undefined ? request.httpVersion === '1.1' : !isHost(host))
    return Errors.invalidRequest('the Host header is missing or is not a host name');
  const repeated = repeatedHeader(request);
  if (repeated !== undefined)
    return Errors.invalidRequest(`the request has the ${repeated} header more than once; send it once`);
  if (request.httpVersionMajor !== 1) return Errors.invalidRequest('the request must use HTTP/1.1');
  if (target === '*' && request.method === 'OPTIONS') return undefined;
  if (UNESCAPED.test(target))
    return Errors.invalidRequest('the path and query must be ASCII, with other characters escaped with %');
  const { path, search } = splitTarget(target);
  return checkPath(path) ?? checkSearch(search);
}
