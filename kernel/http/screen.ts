import type { IncomingMessage } from 'node:http';
import { Errors, type ServiceError } from '../contracts/index.ts';
import { HttpErrors } from './errors.ts';
import type { HttpLimits } from './limits.ts';

const HOST = /^(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const CONTROL = /\p{Cc}/u;
const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/;
const UNESCAPED = /[^\x21-\x7e]/;
const PLAIN = /^[A-Za-z0-9/_.~:@!$'()*+,;=-]*$/;

/** The absolute form that proxies use (`http://host/path`), as the path it means. */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

let lastHost = 'localhost';

/** One host is named by nearly every request, so that the last good one is remembered. */
function isHost(host: string): boolean {
  if (host === lastHost) return true;
  if (!HOST.test(host) || !URL.canParse(`http://${host}/`)) return false;
  lastHost = host;
  return true;
}

/** Path and query of a request target, undecoded. */
export function splitTarget(target: string): { path: string; search: string } {
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, search: '' } : { path: target.slice(0, mark), search: target.slice(mark + 1) };
}

function badText(part: string): string | undefined {
  if (BAD_ESCAPE.test(part)) return 'holds a % that starts no escape';
  try {
    if (CONTROL.test(decodeURIComponent(part))) return 'holds a control character';
  } catch {
    return 'holds escapes that are not UTF-8';
  }
  return undefined;
}

function checkPath(path: string): ServiceError | undefined {
  if (!path.startsWith('/')) return Errors.invalidRequest('the request target must be a path');
  if (PLAIN.test(path) && !path.includes('/.')) return undefined;
  const fault = badText(path);
  if (fault !== undefined) return Errors.invalidRequest(`the path ${fault}`);
  const decoded = decodeURIComponent(path);
  if (DOT_SEGMENT.test(decoded) || decoded.includes('\\') || path.includes('#'))
    return Errors.invalidRequest('the path holds a dot segment, a backslash or a fragment');
  return undefined;
}

/** A query may hold line breaks and tabs as text, but no NUL and no broken escape. */
function checkSearch(search: string): ServiceError | undefined {
  if (!search.includes('%')) return undefined;
  if (BAD_ESCAPE.test(search)) return Errors.invalidRequest('the query holds a % that starts no escape');
  if (search.includes('%00')) return Errors.invalidRequest('the query holds a NUL');
  try {
    decodeURIComponent(search);
    return undefined;
  } catch {
    return Errors.invalidRequest('the query holds escapes that are not UTF-8');
  }
}

/**
 * Refuses what the router must never see: it builds a URL of Host and target, which throws outside every handler
 * (and would end the process) when they make none, and moves the path when Host holds a slash.
 */
export function screen(request: IncomingMessage, limits: HttpLimits): ServiceError | undefined {
  const target = request.url ?? '';
  const { host } = request.headers;
  if (target.length > limits.target_bytes)
    return HttpErrors.targetTooLong(`the path and query have ${target.length} bytes; ${limits.target_bytes} are taken`);
  if (host === undefined ? request.httpVersion === '1.1' : !isHost(host))
    return Errors.invalidRequest('the Host header is absent or not a host name');
  if (request.httpVersionMajor !== 1) return Errors.invalidRequest('the request must name HTTP/1.1');
  if (target === '*' && request.method === 'OPTIONS') return undefined;
  if (UNESCAPED.test(target)) return Errors.invalidRequest('the path and query must be ASCII, the rest escaped with %');
  const { path, search } = splitTarget(target);
  return checkPath(path) ?? checkSearch(search);
}
