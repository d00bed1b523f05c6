import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isServiceError } from '../../../kernel/contracts/index.ts';
import type { AllowList } from './allow-list.ts';
import { EgressErrors } from './errors.ts';

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Resolves a name to all its addresses. */
export type Resolver = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface ConnectorOptions {
  allow: AllowList;
  resolve: Resolver;
  /** Certificates that are trusted instead of the system's. */
  ca?: string;
}

/** Asks the operating system for addresses of both families, in its order. */
export const systemResolver: Resolver = (hostname) =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true, order: 'verbatim' }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });

const addressNotAllowed = (hostname: string, what: string) =>
  EgressErrors.egressRefused(
    `${hostname.slice(0, 255)} is an address that the service is not allowed to connect to (${what})`,
  );

/**
 * Connects only to checked addresses. A name is resolved once for each connection, all of its addresses must be
 * allowed, and the socket gets these addresses and no name. A literal address in the URL is checked first, because it
 * is never looked up.
 */
export function checkedConnector({ allow, resolve, ca }: ConnectorOptions): buildConnector.connector {
  const connect = buildConnector({
    allowH2: false,
    rejectUnauthorized: true,
    lookup: checkedLookup(allow, resolve),
    ca,
  });
  return (options, callback) => {
    const hostname = options.hostname.replace(/^\[|\]$/g, '');
    const what = isIP(hostname) === 0 ? undefined : allow.findObstacle(hostname);
    if (what === undefined) connect(options, callback);
    else callback(addressNotAllowed(hostname, what), null);
  };
}

function checkedLookup(allow: AllowList, resolve: Resolver): LookupFunction {
  return (hostname, { all }, callback) => {
    checkedAddresses(hostname, allow, resolve).then(
      (addresses) => {
        if (all) callback(null, [...addresses]);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: unknown) => callback(error as Error, ''),
    );
  };
}

async function checkedAddresses(
  hostname: string,
  allow: AllowList,
  resolve: Resolver,
): Promise<readonly ResolvedAddress[]> {
  const addresses = await resolve(hostname);
  if (addresses.length === 0) throw EgressErrors.egressFailed(`${hostname.slice(0, 255)} has no address`);
  if (allow.allowsName(hostname)) return addresses;
  for (const { address } of addresses) {
    const what = isIP(address) === 0 ? 'no address' : allow.findObstacle(address);
    if (what !== undefined) throw addressNotAllowed(hostname, what);
  }
  return addresses;
}

/** Describes a network error in our own words, because messages of libraries may contain parts of the request. */
export function reasonOf(error: unknown): string {
  if (isServiceError(error)) return error.message;
  const code = codeOf(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name cannot be resolved';
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') return 'the connection broke';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'the connection timed out';
  if (/^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_|ERR_OSSL)|CERT/.test(code))
    return `the TLS certificate of the other server is not valid (${code})`;
  if (isParserError(error) || /^UND_ERR_(HEADERS_OVERFLOW|RESPONSE|RES_)/.test(code))
    return 'the response is not valid HTTP';
  return code === '' ? 'the request failed' : `the request failed (${code})`;
}

const isParserError = (error: unknown) => error instanceof Error && error.name === 'HTTPParserError';

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : '';
}
