import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseDuration } from '../../../kernel/contracts/index.ts';
import { readJson } from '../../schema/contract.ts';
import type { SignatureCheck, SignatureVerdict, SignedDelivery } from '../contract.ts';
import type { DeliveryPlace, HookSection, SignatureSection } from '../generated/connector-manifest.ts';
import { keyFault, readKey } from './signing-key.ts';

export const DEFAULT_TOLERANCE_MS = 300_000;

const SIZES = { sha1: 20, sha256: 32, sha512: 64 } as const;
const HEX = /^[0-9A-Fa-f]+$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const SECONDS = /^\d{1,12}$/;

type Refused = Extract<SignatureVerdict, { ok: false }>;

const refused = (fault: Refused['fault'], detail: string): Refused => ({ ok: false, fault, detail });

function headerOf(delivery: SignedDelivery, name: string): string | undefined {
  const value = delivery.headers[name.toLowerCase()];
  return value === '' ? undefined : value;
}

/** The header that a hole in the signed text refers to. */
function sourcesOf({ signature, delivery_id }: HookSection): Record<string, string | undefined> {
  const id = delivery_id && 'header' in delivery_id ? delivery_id.header : undefined;
  return { timestamp: signature.timestamp_header, id };
}

/** Digest of the text that the sender signed; the name of the missing header when one is absent. */
function digestOf(section: HookSection, key: Buffer, delivery: SignedDelivery): Buffer | string {
  const { algorithm, signs = '{body}' } = section.signature;
  const sources = sourcesOf(section);
  const hmac = createHmac(algorithm, key);
  for (const part of signs.split(/(\{[a-z]+\})/)) {
    if (part === '{body}') hmac.update(delivery.raw);
    else if (part.startsWith('{')) {
      const header = sources[part.slice(1, -1)] ?? '';
      const value = headerOf(delivery, header);
      if (value === undefined) return header;
      // Node decodes headers as latin1, but the sender signed the bytes.
      hmac.update(value, 'latin1');
    } else hmac.update(part, 'utf8');
  }
  return hmac.digest();
}

/** Every signature in the header that has the form of this section. */
function candidates({ algorithm, encoding, prefix = '' }: SignatureSection, header: string): Buffer[] {
  const form = encoding === 'hex' ? HEX : BASE64;
  return header
    .split(' ')
    .filter((text) => text.startsWith(prefix))
    .map((text) => text.slice(prefix.length))
    .filter((text) => form.test(text))
    .map((text) => Buffer.from(text, encoding))
    .filter((bytes) => bytes.length === SIZES[algorithm]);
}

/** Compares all signatures even after a match, so that the time reveals nothing. */
function anyEqual(given: readonly Buffer[], wanted: Buffer): boolean {
  let found = false;
  for (const bytes of given) found = timingSafeEqual(bytes, wanted) || found;
  return found;
}

function windowFault({ signature }: HookSection, delivery: SignedDelivery, now: number): Refused | undefined {
  const { timestamp_header: name, tolerance } = signature;
  if (name === undefined) return undefined;
  const text = headerOf(delivery, name);
  if (text === undefined) return refused('missing', `the header ${name} is missing`);
  if (!SECONDS.test(text)) return refused('wrong', `the header ${name} is not a time in whole seconds`);
  const most_ms = tolerance === undefined ? DEFAULT_TOLERANCE_MS : parseDuration(tolerance);
  if (Math.abs(now - Number(text) * 1000) <= most_ms) return undefined;
  return refused('stale', `the time in ${name} differs from now by more than ${tolerance ?? '5m'}`);
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** The value at a JSON pointer, if it is a text or a whole number. */
function atPointer(body: unknown, pointer: string): string | undefined {
  const names = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = names.reduce(member, body);
  if (typeof found === 'string') return found === '' ? undefined : found;
  return Number.isSafeInteger(found) ? String(found) : undefined;
}

/** The values found at the places. The body is parsed at most once, and only when a place lies in it. */
function found(places: readonly (DeliveryPlace | undefined)[], delivery: SignedDelivery): (string | undefined)[] {
  let body: { value: unknown } | undefined;
  return places.map((place) => {
    if (place === undefined) return undefined;
    if ('header' in place) return headerOf(delivery, place.header);
    if (body === undefined) {
      const read = readJson(delivery.raw);
      body = 'not' in read ? { value: undefined } : read;
    }
    return atPointer(body.value, place.pointer);
  });
}

function verify(section: HookSection, key: string, delivery: SignedDelivery, now: number): SignatureVerdict {
  const { header } = section.signature;
  const bytes = readKey(section, key);
  if (bytes === undefined || bytes.length === 0)
    return refused('wrong', 'no key is set, so signatures cannot be checked');
  const given = headerOf(delivery, header);
  if (given === undefined) return refused('missing', `the header ${header} is missing`);
  const wanted = digestOf(section, bytes, delivery);
  if (typeof wanted === 'string') return refused('missing', `the header ${wanted} is missing`);
  if (!anyEqual(candidates(section.signature, given), wanted))
    return refused('wrong', `the header ${header} contains no valid signature of this body`);
  const fault = windowFault(section, delivery, now);
  if (fault) return fault;
  const [delivery_id, event_type] = found([section.delivery_id, section.event_type], delivery);
  return { ok: true, delivery_id, event_type };
}

export const signatureCheck: SignatureCheck = { verify, keyFault };
