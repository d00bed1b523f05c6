import { hash } from 'node:crypto';
import { Errors, type ServiceError } from '../../../../kernel/contracts/index.ts';
import { EMIT_BYTES, isReserved, validateEventKey, type NewEvent, validateEventType } from '../contract.ts';
import { BusErrors } from '../errors.ts';
import { jsonNestsDeeper, writeJsonYielding, yieldBeforeLarge } from '../../../platform/schema/contract.ts';
import { trySerialize } from './json-text.ts';

/** Maximum bytes of any event: a hook accepts 2 MiB of text, and JSON may need six bytes for each of them. */
export const EVENT_BYTES = 13 * 1024 * 1024;
/** Maximum characters of a deduplication key. */
export const DEDUP_LENGTH = 200;

const sha256 = (text: string): string => hash('sha256', text, 'hex').slice(0, 40);

/** Texts that callers choose are indexed by these digests. */
export const digests = {
  key: (key: string): string => sha256(`key\0${key}`),
  dedup: (dedup: string): string => sha256(`dedup\0${dedup}`),
  name: (name: string): string => sha256(`name\0${name}`),
  predicate: (source: string): string => sha256(`predicate\0${source}`),
};

/** Returns the type if it is valid. Throws `event_type_invalid`. */
export function assertEventType(type: string, pointer = '/type'): string {
  const problem = validateEventType(type);
  if (problem === undefined) return type;
  const quoted = JSON.stringify(type.length > 80 ? `${type.slice(0, 80)}…` : type);
  throw BusErrors.typeInvalid(`the type ${quoted} ${problem}`, { errors: [{ pointer, message: problem }] });
}

/** The part of an event that is stored as one sealed body. */
export type EventBody = Pick<NewEvent, 'payload' | 'fields' | 'trace'>;

/**
 * Validates an event against what no source may emit, and returns the JSON of its body. Throws `event_type_invalid`,
 * `event_type_reserved`, `invalid_request`, `payload_too_large`.
 */
export function validateAndSerialize(event: NewEvent): Buffer {
  validateNames(event);
  // Serialised once and validated as text, because walking a payload of 100,000 members is slow.
  const payload = trySerialize(event.payload ?? null);
  const levels = maxLevels(event);
  if (payload === undefined || jsonNestsDeeper(payload, levels)) throw nestsDeeper(levels);
  return assembleBody(event, payload);
}

/** Like `validateAndSerialize`, in several turns of the event loop when the payload is large. */
export async function validateAndSerializeYielding(event: NewEvent): Promise<Buffer> {
  validateNames(event);
  const levels = maxLevels(event);
  const written = await writeJsonYielding(event.payload ?? null, { max_bytes: EVENT_BYTES, max_depth: levels });
  if (!('exceeded' in written)) {
    await yieldBeforeLarge(written.json.length);
    const body = assembleBody(event, written.json);
    await yieldBeforeLarge(body.length);
    return body;
  }
  if (written.exceeded === 'max_depth') throw nestsDeeper(levels);
  throw Errors.payloadTooLarge(`the event has more than ${EVENT_BYTES} bytes of JSON`);
}

/** A source that wraps a body from outside adds one level to its maximum nesting of 100. */
const maxLevels = ({ source }: NewEvent): number => (source === 'emit' ? 100 : 101);

function nestsDeeper(levels: number): ServiceError {
  const message = `nests deeper than ${levels} levels`;
  return Errors.invalidRequest(`the payload ${message}`, { errors: [{ pointer: '/payload', message }] });
}

function validateNames({ type, key, source, dedup }: NewEvent): void {
  assertEventType(type);
  if ((source === 'emit' || source === 'hook') && isReserved(type))
    throw BusErrors.typeReserved(`only the service can emit events of type ${type}`, {
      errors: [{ pointer: '/type', message: 'is reserved' }],
    });
  const problem = key === null ? undefined : validateEventKey(key);
  if (problem !== undefined)
    throw Errors.invalidRequest(`key ${problem}`, { errors: [{ pointer: '/key', message: problem }] });
  if (dedup !== undefined && dedup.length > DEDUP_LENGTH)
    throw new RangeError(`a deduplication key of ${dedup.length} characters is too long`);
}

function assembleBody(event: NewEvent, payload: Buffer): Buffer {
  const { type, key, source } = event;
  if (source === 'emit') {
    const envelope = JSON.stringify({ type, key: key ?? undefined, payload: 0 });
    assertMaxBytes('the event', Buffer.byteLength(envelope) - 1 + payload.length, EMIT_BYTES);
  }
  const body = serializeBody(payload, event);
  assertMaxBytes('the event', body.length, EVENT_BYTES);
  return body;
}

/** Serialises an `EventBody`. */
function serializeBody(payload: Buffer, { fields, trace }: Omit<EventBody, 'payload'>): Buffer {
  const fields_json = fields === undefined ? '' : `,"fields":${JSON.stringify(fields)}`;
  const trace_json = typeof trace === 'string' ? `,"trace":${JSON.stringify(trace)}` : '';
  return Buffer.concat([Buffer.from('{"payload":'), payload, Buffer.from(`${fields_json}${trace_json}}`)]);
}

function assertMaxBytes(subject: string, bytes: number, max_bytes: number): void {
  if (bytes <= max_bytes) return;
  throw Errors.payloadTooLarge(
    `${subject} is ${bytes} bytes of JSON, ${bytes - max_bytes} over the limit of ${max_bytes}`,
  );
}
