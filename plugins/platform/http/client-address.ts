import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Errors } from '../../../kernel/contracts/index.ts';

/** How many addresses of a request are considered. A caller can put as many into the header as fit. */
const MAX_HOPS = 32;

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** Returns the address of the caller; empty on a Unix socket without a trusted proxy. */
export type AddressReader = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/**
 * Reads `SVC_TRUSTED_PROXY`: the addresses and CIDRs of the proxies in front of this server, and `unix` for one that connects
 * through the Unix socket, separated by commas. Only `X-Forwarded-For` from these is trusted: the caller is the last address in
 * it that is not such a proxy itself. Throws `setting_invalid`.
 */
export function readTrustedProxy(text = ''): AddressReader {
  const entries = text.split(',').map((entry) => entry.trim());
  const trusted =
    text.trim() === '' ? [] : entries.filter((entry) => entry !== 'unix').map((one) => parseRange(one, text));
  const unix = entries.includes('unix');
  const isProxy = (address: string): boolean => {
    if (address === '') return unix;
    if (trusted.length === 0) return false;
    const parsed = ipaddr.process(address);
    return trusted.some(([start, bits]) => parsed.kind() === start.kind() && parsed.match(start, bits));
  };
  return (request) => {
    const peer = normalizeIp(request.socket.remoteAddress ?? '');
    return isProxy(peer) ? clientAddress(request.headers['x-forwarded-for'], peer, isProxy) : peer;
  };
}

function clientAddress(
  header: string | string[] | undefined,
  peer: string,
  isProxy: (address: string) => boolean,
): string {
  const hops = [header ?? []].flat().join(',').split(',').slice(-MAX_HOPS).reverse();
  let last_proxy = peer;
  for (const hop of hops) {
    const address = normalizeIp(hop.trim());
    // Anything that is no address was written by somebody in front of the last trusted proxy.
    if (isIP(address) === 0) return last_proxy;
    last_proxy = address;
    if (!isProxy(address)) return address;
  }
  return last_proxy;
}

/** Removes the IPv4-mapped prefix, so that each address has a single spelling. */
const normalizeIp = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

function parseRange(entry: string, setting: string): Range {
  if (isIP(entry) !== 0) {
    const address = ipaddr.process(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128] as Range;
  }
  const [address = '', bits = ''] = entry.split('/');
  if (isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  const form = 'addresses and CIDRs of proxies, separated by commas, and unix for the Unix socket';
  throw Errors.settingInvalid(`SVC_TRUSTED_PROXY is "${setting}", but "${entry}" is not valid; write ${form}`);
}
