import { isIP } from 'node:net';
import { Errors, type Fault } from '../../../../kernel/contracts/index.ts';

/** Each label has at most 63 characters. */
const HOST = /^(?!-)[a-z0-9_-]{1,63}(\.(?!-)[a-z0-9_-]{1,63})*$/;
/** In a URL, these end the host, or something else comes before it. */
const NOT_IN_HOSTS = /[\s/\\?#@:]/;
const MAX_LENGTH = 253;

/** Writes a host as a URL has it, so that the two can be compared: lower case, without brackets and the final dot. */
const normalize = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

/** Validates allowed hosts and returns them without duplicates. Throws `invalid_request`. */
export function readHosts(hosts: readonly string[] | undefined): string[] | undefined {
  if (hosts === undefined) return undefined;
  const read = hosts.map(readHost);
  const errors = read.flatMap((host, i): Fault[] =>
    host === undefined
      ? [
          {
            pointer: `/hosts/${i}`,
            message: 'must be a host name, an IP address, or *. and a domain; without scheme, port and path',
          },
        ]
      : [],
  );
  if (errors.length > 0)
    throw Errors.invalidRequest(errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; '), { errors });
  return [...new Set(read as string[])];
}

/** The URL parser writes addresses and international names in the only form that requests use. */
function readHost(text: string): string | undefined {
  const host = normalize(text);
  const is_wildcard = host.startsWith('*.');
  const name = is_wildcard ? host.slice(2) : host;
  const is_v6 = isIP(name) === 6;
  if (host.length > MAX_LENGTH || (!is_v6 && NOT_IN_HOSTS.test(name))) return undefined;
  const parsed = hostOf(`http://${is_v6 ? `[${name}]` : name}/`);
  if (isIP(parsed) !== 0) return is_wildcard ? undefined : parsed;
  return HOST.test(parsed) ? (is_wildcard ? `*.${parsed}` : parsed) : undefined;
}

/** True when a request to the URL may carry a credential with these allowed hosts. `*.example.com` covers every name below it, but not itself. */
export function allowsHost(hosts: readonly string[], url: string): boolean {
  const host = hostOf(url);
  return hosts.some((one) => (one.startsWith('*.') ? host.endsWith(one.slice(1)) : host === one));
}

/** Returns the host of a URL; the empty text for anything else. */
export const hostOf = (url: string): string => (URL.canParse(url) ? normalize(new URL(url).hostname) : '');
