import { createHash, createHmac, timingSafeEqual, verify as verifySignature } from 'node:crypto';
import type { SignatureCheck, SignatureVerdict, SignedDelivery } from '../contract.ts';
import type { HookSection, SignatureSection, TokenSection } from '../generated/connector-manifest.ts';
import { headerOf, placesOf, typeOf } from './delivery-places.ts';
import { readSigned, type Signed, windowFault } from './signed-header.ts';
import { keyFault, publicKey, readKey } from './signing-key.ts';

type Refused = Extract<SignatureVerdict, { ok: false }>;

const refused = (fault: Refused['fault'], detail: string): Refused => ({ ok: false, fault, detail });

/** The bytes that the sender signed; the name of the missing header when one is absent. */
function signedBytes(section: HookSection, { timestamp }: Signed, delivery: SignedDelivery): Buffer[] | string {
  const { signs = '{body}', timestamp_header, header } = section.signature!;
  const id = section.delivery_id && 'header' in section.delivery_id ? section.delivery_id.header : '';
  const parts: Buffer[] = [];
  for (const part of signs.split(/(\{[a-z]+\})/)) {
    if (part === '{body}') parts.push(delivery.raw);
    else if (part.startsWith('{')) {
      const value = part === '{id}' ? headerOf(delivery, id) : timestamp;
      if (value === undefined) return part === '{id}' ? id : (timestamp_header ?? header);
      // Node decodes headers as latin1, but the sender signed the bytes.
      parts.push(Buffer.from(value, 'latin1'));
    } else parts.push(Buffer.from(part, 'utf8'));
  }
  return parts;
}

/** Looks at all signatures even after a match, so that the time reveals nothing. */
function anyOf(given: readonly Buffer[], matches: (one: Buffer) => boolean): boolean {
  let found = false;
  for (const bytes of given) found = matches(bytes) || found;
  return found;
}

function isSigned(
  { algorithm }: SignatureSection,
  key: Buffer,
  { signatures }: Signed,
  parts: readonly Buffer[],
): boolean {
  if (algorithm === 'ecdsa-sha256' || algorithm === 'ed25519') {
    const shown = publicKey(algorithm, key);
    if (shown === undefined) return false;
    const bytes = Buffer.concat(parts);
    return anyOf(signatures, (one) => verifySignature(algorithm === 'ed25519' ? null : 'sha256', bytes, shown, one));
  }
  const hmac = createHmac(algorithm, key);
  for (const part of parts) hmac.update(part);
  const wanted = hmac.digest();
  return anyOf(signatures, (one) => one.length === wanted.length && timingSafeEqual(one, wanted));
}

/** Why a signed delivery is not taken; undefined when it is. The time is looked at only after the signature. */
function signatureFault(section: HookSection, key: Buffer, delivery: SignedDelivery, now: number): Refused | undefined {
  const signature = section.signature!;
  const { header } = signature;
  const given = headerOf(delivery, header);
  if (given === undefined) return refused('missing', `the header ${header} is missing`);
  const signed = readSigned(signature, given, delivery);
  const bytes = signedBytes(section, signed, delivery);
  if (typeof bytes === 'string') return refused('missing', `the header ${bytes} is missing`);
  if (!isSigned(signature, key, signed, bytes))
    return refused('wrong', `the header ${header} contains no valid signature of this body`);
  const late = windowFault(signature, signed, now);
  return late && refused(late.fault, late.detail);
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest();

/** Digests have one length, so that the comparison tells nothing of the length of the key. */
function tokenFault({ header, prefix = '' }: TokenSection, key: Buffer, delivery: SignedDelivery): Refused | undefined {
  const given = headerOf(delivery, header);
  if (given === undefined) return refused('missing', `the header ${header} is missing`);
  const shown = Buffer.from(given.startsWith(prefix) ? given.slice(prefix.length) : '', 'latin1');
  if (timingSafeEqual(digest(shown), digest(key))) return undefined;
  return refused('wrong', `the header ${header} does not contain the token of this hook`);
}

function verify(section: HookSection, key: string, delivery: SignedDelivery, now: number): SignatureVerdict {
  const bytes = readKey(section, key);
  if (bytes === undefined || bytes.length === 0)
    return refused('wrong', 'no key is set, so signatures cannot be checked');
  const fault = section.token
    ? tokenFault(section.token, bytes, delivery)
    : signatureFault(section, bytes, delivery, now);
  if (fault) return fault;
  const { challenge, event_type } = section;
  const asks = challenge && { pointer: challenge.pointer };
  const answer = challenge && { pointer: challenge.answer };
  const [delivery_id, sent, question, wanted] = placesOf([section.delivery_id, event_type, asks, answer], delivery);
  const proved = { ok: true, delivery_id, event_type: typeOf(event_type, sent) } as const;
  if (question === undefined || question !== challenge?.equals || wanted === undefined) return proved;
  return { ...proved, challenge: wanted };
}

export const signatureCheck: SignatureCheck = { verify, keyFault };
