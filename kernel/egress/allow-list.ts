import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { BootErrors } from '../boot/errors.ts';
import type { Role } from '../contracts/index.ts';
import { type Address, addressOf, specialUse } from './special-addresses.ts';

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** What may be reached beside public addresses. */
export interface AllowList {
  /** A name that the operator vouches for, whatever it resolves to. `hostname` is in the form of a parsed URL. */
  trusts(hostname: string): boolean;
  /** Why an address may not be reached; undefined when it may. */
  refusal(address: string): string | undefined;
}

const LOOPBACK = '127.0.0.0/8,::1/128';
const NAME = /^(\*\.)?(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

/**
 * Reads `SVC_EGRESS_ALLOW`: addresses, CIDRs, names and `*.suffix`, apart by commas; `none` for nothing. Where it is not
 * set, a process of one person (`svc dev`, `svc run`) may reach its own machine, and others only public addresses.
 * Throws `setting_invalid`.
 */
export function readAllowList(role: Role, text: string | undefined): AllowList {
  const given = text === undefined || text.trim() === '' ? fallbackOf(role) : text;
  const ranges: Range[] = [];
  const names: string[] = [];
  for (const entry of given.split(',').map((part) => part.trim())) {
    if (entry === 'none' || entry === '') continue;
    const range = rangeOf(entry);
    if (range) ranges.push(range);
    else names.push(nameOf(entry, given));
  }
  return {
    trusts: (hostname) => names.some((name) => covers(name, hostname.replace(/\.$/, ''))),
    refusal: (text) => refusalOf(text, ranges),
  };
}

const fallbackOf = (role: Role): string => (role === 'dev' || role === 'local' ? LOOPBACK : 'none');

function rangeOf(entry: string): Range | undefined {
  if (isIP(entry) !== 0) {
    const address = addressOf(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128] as Range;
  }
  const [address = '', bits = ''] = entry.split('/');
  if (isIP(address) === 0 || !/^\d{1,3}$/.test(bits) || !ipaddr.isValidCIDR(entry)) return undefined;
  return ipaddr.parseCIDR(entry);
}

function nameOf(entry: string, given: string): string {
  const name = entry.toLowerCase().replace(/\.$/, '');
  // What ends in a number is an address to a URL, so as a name it would never be met.
  if (NAME.test(name) && !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(name)) return name;
  const form = 'addresses, CIDRs, host names and *.suffixes, apart by commas, or none';
  throw BootErrors.settingInvalid(
    `SVC_EGRESS_ALLOW is "${given}", of which "${entry}" is not understood; write ${form}`,
  );
}

const covers = (name: string, hostname: string): boolean =>
  name.startsWith('*.') ? hostname.endsWith(name.slice(1)) : hostname === name;

function refusalOf(text: string, ranges: readonly Range[]): string | undefined {
  const address = addressOf(text);
  const what = specialUse(address);
  if (what === undefined || ranges.some((range) => isIn(address, range))) return undefined;
  return what;
}

function isIn(address: Address, [start, bits]: Range): boolean {
  return address.kind() === start.kind() && address.match(start, bits);
}
