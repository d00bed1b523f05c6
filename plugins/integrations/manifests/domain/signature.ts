import { createHash, createHmac, timingSafeEqual, verify as verifySignature } from 'node:crypto';
import type { SignatureCheck, SignatureResult, SignedDelivery } from '../contract.ts';
import type { HookSection, SignatureSection, TokenSection } from '../generated/connector-manifest.ts';
import { readHeader, readLocations, eventType } from './delivery-locations.ts';
import { readSigned, type Signed, checkTimeWindow } from './signed-header.ts';
import { validateKey, publicKey, readKey } from './signing-key.ts';

type Rejection = Extract<SignatureResult, { ok: false }>;

const reject = (reason: Rejection['reason'], detail: string): Rejection => ({ ok: false, reason, detail });

/** The bytes that the sender signed; the name of the missing header when one is absent. */
function signedBytes(section: HookSection, { timestamp }: Signed, delivery: SignedDelivery): Buffer[] | string {
  const { signs = '{body}', timestamp_header, header } = section.signature!;
  const id = section.delivery_id && 'header' in section.delivery_id ? section.delivery_id.header : '';
  const chunks: Buffer[] = [];
  for (const token of signs.split(/(\{[a-z]+\})/)) {
    if (token === '{body}') chunks.push(delivery.raw);
    else if (token.startsWith('{')) {
      const value = token === '{id}' ? readHeader(delivery, id) : timestamp;
      if (value === undefined) return token === '{id}' ? id : (timestamp_header ?? header);
      // Node decodes headers as latin1, but the sender signed the bytes.
      chunks.push(Buffer.from(value, 'latin1'));
    } else chunks.push(Buffer.from(token, 'utf8'));
  }
  return chunks;
}

/** Checks all signatures even after a match, so that timing reveals nothing. */
function matchesAny(signatures: readonly Buffer[], matches: (one: Buffer) => boolean): boolean {
  let matched = false;
  for (const bytes of signatures) matched = matches(bytes) || matched;
  return matched;
}

function isSigned(
  { algorithm }: SignatureSection,
  key: Buffer,
  { signatures }: Signed,
  chunks: readonly Buffer[],
): boolean {
  if (algorithm === 'ecdsa-sha256' || algorithm === 'ed25519') {
    const public_key = publicKey(algorithm, key);
    if (public_key === undefined) return false;
    const bytes = Buffer.concat(chunks);
    return matchesAny(signatures, (one) =>
      verifySignature(algorithm === 'ed25519' ? null : 'sha256', bytes, public_key, one),
    );
  }
  const hmac = createHmac(algorithm, key);
  for (const chunk of chunks) hmac.update(chunk);
  const expected = hmac.digest();
  return matchesAny(signatures, (one) => one.length === expected.length && timingSafeEqual(one, expected));
}

/**
 * Explains why a signed delivery is rejected; undefined when it is valid. The time is checked only after the signature.
 */
function checkSignature(
  section: HookSection,
  key: Buffer,
  delivery: SignedDelivery,
  now: number,
): Rejection | undefined {
  const signature = section.signature!;
  const { header } = signature;
  const header_value = readHeader(delivery, header);
  if (header_value === undefined) return reject('missing', `the ${header} header is missing`);
  const signed = readSigned(signature, header_value, delivery);
  const bytes = signedBytes(section, signed, delivery);
  if (typeof bytes === 'string') return reject('missing', `the ${bytes} header is missing`);
  if (!isSigned(signature, key, signed, bytes))
    return reject('wrong', `the ${header} header contains no valid signature of this body`);
  const late = checkTimeWindow(signature, signed, now);
  return late && reject(late.reason, late.detail);
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest();

/** Digests have the same length, so the comparison does not reveal the length of the key. */
function checkToken(
  { header, prefix = '' }: TokenSection,
  key: Buffer,
  delivery: SignedDelivery,
): Rejection | undefined {
  const header_value = readHeader(delivery, header);
  if (header_value === undefined) return reject('missing', `the ${header} header is missing`);
  const token = Buffer.from(header_value.startsWith(prefix) ? header_value.slice(prefix.length) : '', 'latin1');
  if (timingSafeEqual(digest(token), digest(key))) return undefined;
  return reject('wrong', `the ${header} header does not contain the token of this hook`);
}

function verify(section: HookSection, key: string, delivery: SignedDelivery, now: number): SignatureResult {
  const bytes = readKey(section, key);
  if (bytes === undefined || bytes.length === 0)
    return reject('wrong', 'no key is set, so signatures cannot be checked');
  const rejection = section.token
    ? checkToken(section.token, bytes, delivery)
    : checkSignature(section, bytes, delivery, now);
  if (rejection) return rejection;
  const { challenge, event_type } = section;
  const asks = challenge && { pointer: challenge.pointer };
  const answer = challenge && { pointer: challenge.answer };
  const [delivery_id, sent, question, expected] = readLocations(
    [section.delivery_id, event_type, asks, answer],
    delivery,
  );
  const proved = { ok: true, delivery_id, event_type: eventType(event_type, sent) } as const;
  if (question === undefined || question !== challenge?.equals || expected === undefined) return proved;
  return { ...proved, challenge: expected };
}

export const signatureCheck: SignatureCheck = { verify, validateKey };
