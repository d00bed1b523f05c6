import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseDuration } from '../../../kernel/contracts/index.ts';
import { readJson } from '../../../kernel/schema/index.ts';
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

/** The header that a part of what is signed stands in, by its hole. */
function sourcesOf({ signature, delivery_id }: HookSection): Record<string, string | undefined> {
  const id = delivery_id && 'header' in delivery_id ? delivery_id.header : undefined;
  return { timestamp: signature.timestamp_header, id };
}

/** Digest of what the far end signed; the name of a header instead when that is absent. */
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
      // Node reads header bytes as latin1; what was signed are the bytes.
      hmac.update(value, 'latin1');
    } else hmac.update(part, 'utf8');
  }
  return hmac.digest();
}

/** Every signature of the header that is written as the section says. */
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

/** All are compared, whichever is right, so that the time tells nothing. */
function anyEqual(given: readonly Buffer[], wanted: Buffer): boolean {
  let found = false;
  for (const bytes of given) found = timingSafeEqual(bytes, wanted) || found;
  return found;
}

function windowFault({ signature }: HookSection, delivery: SignedDelivery, now: number): Refused | undefined {
  const { timestamp_header: name, tolerance } = signature;
  if (name === undefined) return undefined;
  const text = headerOf(delivery, name);
  if (text === undefined) return refused('missing', `the header ${name} is absent`);
  if (!SECONDS.test(text)) return refused('wrong', `the header ${name} is no time in whole seconds`);
  const most_ms = tolerance === undefined ? DEFAULT_TOLERANCE_MS : parseDuration(tolerance);
  if (Math.abs(now - Number(text) * 1000) <= most_ms) return undefined;
  return refused('stale', `the time of ${name} is further than ${tolerance ?? '5m'} from now`);
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** What a JSON pointer leads to, when it is a text or a whole number. */
function atPointer(body: unknown, pointer: string): string | undefined {
  const names = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = names.reduce(member, body);
  if (typeof found === 'string') return found === '' ? undefined : found;
  return Number.isSafeInteger(found) ? String(found) : undefined;
}

/** What is found in the places; the body is parsed at most once, and only when a place lies in it. */
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
  if (bytes === undefined || bytes.length === 0) return refused('wrong', 'there is no key to check signatures with');
  const given = headerOf(delivery, header);
  if (given === undefined) return refused('missing', `the header ${header} is absent`);
  const wanted = digestOf(section, bytes, delivery);
  if (typeof wanted === 'string') return refused('missing', `the header ${wanted} is absent`);
  if (!anyEqual(candidates(section.signature, given), wanted))
    return refused('wrong', `the header ${header} holds no signature of this body by the key`);
  const fault = windowFault(section, delivery, now);
  if (fault) return fault;
  const [delivery_id, event_type] = found([section.delivery_id, section.event_type], delivery);
  return { ok: true, delivery_id, event_type };
}

export const signatureCheck: SignatureCheck = { verify, keyFault };
