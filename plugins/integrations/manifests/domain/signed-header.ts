import { parseDuration } from '../../../../kernel/contracts/index.ts';
import type { SignedDelivery } from '../contract.ts';
import type { SignatureSection } from '../generated/connector-manifest.ts';
import { readHeader } from './delivery-locations.ts';

const DEFAULT_TOLERANCE_MS = 300_000;
/** The number of signatures in one header that are checked. Senders sign with two keys during a rotation. */
const MAX_SIGNATURES = 16;

const SIZES = { sha1: 20, sha256: 32, sha512: 64 } as const;
const HEX = /^[0-9A-Fa-f]+$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const DIGITS = /^\d{1,16}$/;

/** The parsed header of a signature. */
export interface Signed {
  signatures: Buffer[];
  timestamp: string | undefined;
}

/** Every signature of the header that has the form of this section, and the timestamp. */
export function readSigned(section: SignatureSection, header: string, delivery: SignedDelivery): Signed {
  const { parts, prefix = '', timestamp_header } = section;
  const header_time = timestamp_header === undefined ? undefined : readHeader(delivery, timestamp_header);
  if (parts === undefined)
    return { signatures: decodeSignatures(section, prefix, header.split(' ')), timestamp: header_time };
  const named = header.split(parts.separator ?? ',').map((pair) => {
    const at = pair.indexOf('=');
    return { name: pair.slice(0, Math.max(0, at)).trim(), value: pair.slice(at + 1).trim() };
  });
  const valuesOf = (name: string) => named.filter((one) => one.name === name).map(({ value }) => value);
  const inside = parts.timestamp === undefined ? undefined : valuesOf(parts.timestamp)[0];
  return { signatures: decodeSignatures(section, prefix, valuesOf(parts.signature)), timestamp: inside ?? header_time };
}

function decodeSignatures(
  { algorithm, encoding }: SignatureSection,
  prefix: string,
  texts: readonly string[],
): Buffer[] {
  const form = encoding === 'hex' ? HEX : BASE64;
  const size = (SIZES as Record<string, number | undefined>)[algorithm];
  return texts
    .filter((text) => text.startsWith(prefix))
    .map((text) => text.slice(prefix.length))
    .filter((text) => form.test(text))
    .slice(0, MAX_SIGNATURES)
    .map((text) => Buffer.from(text, encoding))
    .filter((bytes) => size === undefined || bytes.length === size);
}

/** Returns true when the section says where the time of a delivery is. */
export const hasTime = ({ timestamp_header, parts }: SignatureSection): boolean =>
  timestamp_header !== undefined || parts?.timestamp !== undefined;

/** Explains why the time of a delivery is not close enough to now; undefined when it is. */
export function checkTimeWindow(
  section: SignatureSection,
  { timestamp }: Signed,
  now: number,
): { reason: 'missing' | 'wrong' | 'stale'; detail: string } | undefined {
  if (!hasTime(section)) return undefined;
  const { timestamp_header, timestamp_unit = 's', tolerance, header } = section;
  const name = timestamp_header ?? header;
  if (timestamp === undefined)
    return { reason: 'missing', detail: `the ${name} header is missing or contains no time` };
  const unit = timestamp_unit === 's' ? 'seconds' : 'milliseconds';
  if (!DIGITS.test(timestamp))
    return { reason: 'wrong', detail: `the time in ${name} is not a whole number of ${unit}` };
  const at = Number(timestamp) * (timestamp_unit === 's' ? 1000 : 1);
  const most_ms = tolerance === undefined ? DEFAULT_TOLERANCE_MS : parseDuration(tolerance);
  if (Math.abs(now - at) <= most_ms) return undefined;
  return {
    reason: 'stale',
    detail: `the time in ${name} differs from the current time by more than ${tolerance ?? '5m'}`,
  };
}
