import ipaddr from 'ipaddr.js';

type Range = readonly [cidr: string, what: string];

/** The IANA registry of special-purpose IPv4 addresses, and addresses that cloud platforms use for their services. */
const V4: readonly Range[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared address space of carriers'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved for protocols'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'reserved for protocols'],
  ['192.52.193.0/24', 'reserved for protocols'],
  ['192.88.99.0/24', 'a 6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'reserved for protocols'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['168.63.129.16/32', 'a platform'],
];

/** Special ranges within global unicast; everything outside of global unicast is special. */
const V6: readonly Range[] = [
  ['2001::/23', 'reserved for protocols'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'reserved for protocols'],
  ['3fff::/20', 'documentation'],
];

const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** The IPv4 address is in the last 32 bits; a translator forwards to it. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const v4 = V4.map(([cidr, what]) => ({ range: ipaddr.IPv4.parseCIDR(cidr), what }));
const v6 = V6.map(([cidr, what]) => ({ range: ipaddr.IPv6.parseCIDR(cidr), what }));

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Parses an address into its normal form: an IPv4-mapped IPv6 address becomes IPv4. */
export function addressOf(text: string): Address {
  return ipaddr.process(text);
}

/** Returns what a special address is for; undefined for a public address. */
export function specialUse(address: Address): string | undefined {
  if (address instanceof ipaddr.IPv4) return v4.find(({ range }) => address.match(range))?.what;
  if (address.match(NAT64)) {
    const inner = specialUse(new ipaddr.IPv4(address.toByteArray().slice(12)));
    return inner === undefined ? undefined : `${inner}, behind NAT64`;
  }
  const special = v6.find(({ range }) => address.match(range));
  if (special) return special.what;
  if (address.match(GLOBAL_V6)) return undefined;
  const range = address.range();
  return range === 'unicast' ? 'outside of the public range' : range.replace(/([A-Z])/g, ' $1').toLowerCase();
}
