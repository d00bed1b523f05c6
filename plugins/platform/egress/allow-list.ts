import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Errors, type Role, redactAddress } from '../../../kernel/contracts/index.ts';
import { type Address, addressOf, specialUse } from './special-addresses.ts';

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** The destinations that may be reached in addition to public addresses. */
export interface AllowList {
  /** True for a name that the operator permits, whatever it resolves to. `hostname` has the form of a parsed URL. */
  allowsName(hostname: string): boolean;
  /** Returns why an address must not be reached; undefined when it may be. */
  findObstacle(address: string): string | undefined;
}

const LOOPBACK = '127.0.0.0/8,::1/128';
const NAME = /^(\*\.)?(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

/**
 * Reads `SVC_EGRESS_ALLOW`: addresses, CIDRs, names and `*.suffix`, separated by commas, or `none`. By default, a process of one
 * person (`svc dev`, `svc run`) may reach its own machine, and all others reach only public addresses. Throws
 * `setting_invalid`.
 */
export function readAllowList(role: Role, text: string | undefined): AllowList {
  const setting = text === undefined || text.trim() === '' ? defaultFor(role) : text;
  const ranges: Range[] = [];
  const names: string[] = [];
  for (const entry of setting.split(',').map((entry) => entry.trim())) {
    if (entry === 'none' || entry === '') continue;
    const range = parseRange(entry);
    if (range) ranges.push(range);
    else names.push(parseName(entry, setting));
  }
  return {
    allowsName: (hostname) => names.some((name) => matchesName(name, hostname.replace(/\.$/, ''))),
    findObstacle: (text) => findObstacle(text, ranges),
  };
}

const defaultFor = (role: Role): string => (role === 'dev' || role === 'local' ? LOOPBACK : 'none');

function parseRange(entry: string): Range | undefined {
  if (isIP(entry) !== 0) {
    const address = addressOf(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128] as Range;
  }
  const [address = '', bits = ''] = entry.split('/');
  if (isIP(address) === 0 || !/^\d{1,3}$/.test(bits) || !ipaddr.isValidCIDR(entry)) return undefined;
  return ipaddr.parseCIDR(entry);
}

function parseName(entry: string, setting: string): string {
  const name = entry.toLowerCase().replace(/\.$/, '');
  // A URL treats a host that ends in a number as an address, so such a name would never match.
  if (NAME.test(name) && !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(name)) return name;
  const form = 'addresses, CIDRs, host names and *.suffixes, separated by commas, or none';
  // Somebody may have set the address of a proxy or a registry, with its password.
  const redacted = setting.split(',').map((entry) => redactAddress(entry));
  throw Errors.settingInvalid(
    `SVC_EGRESS_ALLOW is "${redacted.join(',')}", but "${redactAddress(entry)}" is not valid; write ${form}`,
  );
}

const matchesName = (name: string, hostname: string): boolean =>
  name.startsWith('*.') ? hostname.endsWith(name.slice(1)) : hostname === name;

function findObstacle(text: string, ranges: readonly Range[]): string | undefined {
  const address = addressOf(text);
  const what = specialUse(address);
  if (what === undefined || ranges.some((range) => isIn(address, range))) return undefined;
  return what;
}

function isIn(address: Address, [start, bits]: Range): boolean {
  return address.kind() === start.kind() && address.match(start, bits);
}
