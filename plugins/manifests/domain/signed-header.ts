import { parseDuration } from '../../../kernel/contracts/index.ts';
import type { SignedDelivery } from '../contract.ts';
import type { SignatureSection } from '../generated/connector-manifest.ts';
import { headerOf } from './delivery-places.ts';

const DEFAULT_TOLERANCE_MS = 300_000;
/** Signatures of one header that are looked at: senders sign with two keys while they change one. */
const MAX_SIGNATURES = 16;

const SIZES = { sha1: 20, sha256: 32, sha512: 64 } as const;
const HEX = /^[0-9A-Fa-f]+$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const DIGITS = /^\d{1,16}$/;

/** What the header of a signature says. */
export interface Signed {
  signatures: Buffer[];
  timestamp: string | undefined;
}

/** Every signature of the header that has the form of this section, and the timestamp. */
export function readSigned(section: SignatureSection, header: string, delivery: SignedDelivery): Signed {
  const { parts, prefix = '', timestamp_header } = section;
  const beside = timestamp_header === undefined ? undefined : headerOf(delivery, timestamp_header);
  if (parts === undefined) return { signatures: decoded(section, prefix, header.split(' ')), timestamp: beside };
  const named = header.split(parts.separator ?? ',').map((part) => {
    const at = part.indexOf('=');
    return { name: part.slice(0, Math.max(0, at)).trim(), value: part.slice(at + 1).trim() };
  });
  const of = (name: string) => named.filter((one) => one.name === name).map(({ value }) => value);
  const inside = parts.timestamp === undefined ? undefined : of(parts.timestamp)[0];
  return { signatures: decoded(section, prefix, of(parts.signature)), timestamp: inside ?? beside };
}

function decoded({ algorithm, encoding }: SignatureSection, prefix: string, texts: readonly string[]): Buffer[] {
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

/** Does the section say where the time of a delivery is? */
export const hasTime = ({ timestamp_header, parts }: SignatureSection): boolean =>
  timestamp_header !== undefined || parts?.timestamp !== undefined;

/** Why the time of a delivery is not near enough to now. */
export function windowFault(
  section: SignatureSection,
  { timestamp }: Signed,
  now: number,
): { fault: 'missing' | 'wrong' | 'stale'; detail: string } | undefined {
  if (!hasTime(section)) return undefined;
  const { timestamp_header, timestamp_unit = 's', tolerance, header } = section;
  const name = timestamp_header ?? header;
  if (timestamp === undefined) return { fault: 'missing', detail: `the header ${name} is missing, or has no time` };
  const unit = timestamp_unit === 's' ? 'seconds' : 'milliseconds';
  if (!DIGITS.test(timestamp)) return { fault: 'wrong', detail: `the time in ${name} is not in whole ${unit}` };
  const at = Number(timestamp) * (timestamp_unit === 's' ? 1000 : 1);
  const most_ms = tolerance === undefined ? DEFAULT_TOLERANCE_MS : parseDuration(tolerance);
  if (Math.abs(now - at) <= most_ms) return undefined;
  return { fault: 'stale', detail: `the time in ${name} differs from now by more than ${tolerance ?? '5m'}` };
}
