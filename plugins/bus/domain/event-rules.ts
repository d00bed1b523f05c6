import { hash } from 'node:crypto';
import { Errors } from '../../../kernel/contracts/index.ts';
import { EMIT_BYTES, isReserved, keyFault, type NewEvent, typeFault } from '../contract.ts';
import { BusErrors } from '../errors.ts';
import { jsonNestsDeeper } from '../../schema/contract.ts';
import { jsonOf } from './json-text.ts';

/** Maximum bytes of any event: a hook accepts 2 MiB of text, and JSON may write each byte as six. */
export const EVENT_BYTES = 13 * 1024 * 1024;
/** Characters of a text against doubles. */
export const DEDUP_LENGTH = 200;

const sha256 = (text: string): string => hash('sha256', text, 'hex').slice(0, 40);

/** Texts chosen by callers are found by these digests. */
export const digests = {
  key: (key: string): string => sha256(`key\0${key}`),
  dedup: (dedup: string): string => sha256(`dedup\0${dedup}`),
  name: (name: string): string => sha256(`name\0${name}`),
  predicate: (source: string): string => sha256(`predicate\0${source}`),
};

/** Returns the type. Throws `event_type_invalid`. */
export function checkType(type: string, pointer = '/type'): string {
  const fault = typeFault(type);
  if (fault === undefined) return type;
  const shown = JSON.stringify(type.length > 80 ? `${type.slice(0, 80)}…` : type);
  throw BusErrors.typeInvalid(`the type ${shown} ${fault}`, { errors: [{ pointer, message: fault }] });
}

/** The part of an event that is stored as one body. */
export type EventBody = Pick<NewEvent, 'payload' | 'fields' | 'trace'>;

/**
 * Refuses what no source may pass, and answers the JSON of the body. Throws `event_type_invalid`,
 * `event_type_reserved`, `invalid_request`, `payload_too_large`.
 */
export function checkedBody(event: NewEvent): Buffer {
  const { type, key, source, dedup } = event;
  checkType(type);
  if ((source === 'emit' || source === 'hook') && isReserved(type))
    throw BusErrors.typeReserved(`only the service emits events of type ${type}`, {
      errors: [{ pointer: '/type', message: 'is reserved' }],
    });
  const fault = key === null ? undefined : keyFault(key);
  if (fault !== undefined)
    throw Errors.invalidRequest(`key ${fault}`, { errors: [{ pointer: '/key', message: fault }] });
  if (dedup !== undefined && dedup.length > DEDUP_LENGTH)
    throw new RangeError(`a text against doubles of ${dedup.length} characters`);
  // Serialised once and checked as text: walking a payload of 100,000 members is slow.
  const payload = jsonOf(event.payload ?? null);
  // A source that wraps a body from outside adds one level to its nesting of 100.
  const levels = source === 'emit' ? 100 : 101;
  if (payload === undefined || jsonNestsDeeper(payload, levels)) {
    const message = `nests deeper than ${levels} levels`;
    throw Errors.invalidRequest(`the payload ${message}`, { errors: [{ pointer: '/payload', message }] });
  }
  if (source === 'emit') {
    const rest = JSON.stringify({ type, key: key ?? undefined, payload: 0 });
    refuseMore('the event', Buffer.byteLength(rest) - 1 + payload.length, EMIT_BYTES);
  }
  const kept = bodyOf(payload, event);
  refuseMore('the event', kept.length, EVENT_BYTES);
  return kept;
}

/** The JSON of an `EventBody`. */
function bodyOf(payload: Buffer, { fields, trace }: Omit<EventBody, 'payload'>): Buffer {
  const rest = fields === undefined ? '' : `,"fields":${JSON.stringify(fields)}`;
  const traced = typeof trace === 'string' ? `,"trace":${JSON.stringify(trace)}` : '';
  return Buffer.concat([Buffer.from('{"payload":'), payload, Buffer.from(`${rest}${traced}}`)]);
}

function refuseMore(what: string, bytes: number, most: number): void {
  if (bytes <= most) return;
  throw Errors.payloadTooLarge(`${what} has ${bytes} bytes of JSON, ${bytes - most} over the limit of ${most}`);
}
