import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Errors, type Role, shownAddress } from '../../kernel/contracts/index.ts';
import { type Address, addressOf, specialUse } from './special-addresses.ts';

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** What may be reached in addition to public addresses. */
export interface AllowList {
  /** True for a name that the operator permits, whatever it resolves to. `hostname` has the form of a parsed URL. */
  trusts(hostname: string): boolean;
  /** Why an address may not be reached; undefined when it may. */
  refusal(address: string): string | undefined;
}

const LOOPBACK = '127.0.0.0/8,::1/128';
const NAME = /^(\*\.)?(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

/**
 * Reads `SVC_EGRESS_ALLOW`: addresses, CIDRs, names and `*.suffix`, separated by commas; `none` for nothing. Default: a
 * process of one person (`svc dev`, `svc run`) may reach its own machine; others reach only public addresses. Throws
 * `setting_invalid`.
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
  // A URL treats a host that ends in a number as an address, so such a name would never match.
  if (NAME.test(name) && !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(name)) return name;
  const form = 'addresses, CIDRs, host names and *.suffixes with commas between them, or none';
  // Some give the address of a proxy or a registry, with its password.
  const shown = given.split(',').map((part) => shownAddress(part));
  throw Errors.settingInvalid(
    `SVC_EGRESS_ALLOW is "${shown.join(',')}", but "${shownAddress(entry)}" is not valid; write ${form}`,
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
