import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Errors } from '../../kernel/contracts/index.ts';

/** Addresses that one request may name: a caller can write as many as fit into a header. */
const HOPS = 32;

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** The address of whoever sent a request; the empty text on a Unix socket without a proxy that tells. */
export type AddressReader = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/**
 * Reads `SVC_TRUSTED_PROXY`: addresses and CIDRs of the proxies in front of this server, and `unix` for one that comes
 * through the Unix socket, separated by commas. Only what these say in `X-Forwarded-For` is believed: the last address
 * there that is no such proxy itself is the caller. Throws `setting_invalid`.
 */
export function readTrustedProxy(text = ''): AddressReader {
  const entries = text.split(',').map((part) => part.trim());
  const trusted =
    text.trim() === '' ? [] : entries.filter((entry) => entry !== 'unix').map((one) => rangeOf(one, text));
  const unix = entries.includes('unix');
  const isProxy = (address: string): boolean => {
    if (address === '') return unix;
    if (trusted.length === 0) return false;
    const parsed = ipaddr.process(address);
    return trusted.some(([start, bits]) => parsed.kind() === start.kind() && parsed.match(start, bits));
  };
  return (request) => {
    const near = plain(request.socket.remoteAddress ?? '');
    return isProxy(near) ? callerOf(request.headers['x-forwarded-for'], near, isProxy) : near;
  };
}

function callerOf(header: string | string[] | undefined, near: string, isProxy: (address: string) => boolean): string {
  const hops = [header ?? []].flat().join(',').split(',').slice(-HOPS).reverse();
  let known = near;
  for (const hop of hops) {
    const address = plain(hop.trim());
    // What is no address was written by whoever stands before the proxy that is known last.
    if (isIP(address) === 0) return known;
    known = address;
    if (!isProxy(address)) return address;
  }
  return known;
}

/** Without the IPv4-mapped prefix, so that one address has one text. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

function rangeOf(entry: string, given: string): Range {
  if (isIP(entry) !== 0) {
    const address = ipaddr.process(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128] as Range;
  }
  const [address = '', bits = ''] = entry.split('/');
  if (isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  const form = 'addresses and CIDRs of proxies with commas between them, and unix for the Unix socket';
  throw Errors.settingInvalid(`SVC_TRUSTED_PROXY is "${given}", but "${entry}" is not valid; write ${form}`);
}
