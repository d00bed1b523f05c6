import { Errors } from '../../../kernel/contracts/index.ts';
import { parseJson } from '../../schema/contract.ts';
import type { JsonObject } from './places.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/;

/** Pushes of thousands of commits come close; what an event keeps of them is bounded further. */
export const DELIVERY_BYTES = 8 * 1024 * 1024;
/** Read to check the signature of what is refused then. No forge sends more than 25 MiB. */
export const SIGNED_BYTES = 32 * 1024 * 1024;

/**
 * The bytes of a delivery. Without `whole` those after the first `DELIVERY_BYTES` are read and not kept, so that its
 * signature fits nothing.
 */
export async function readSigned(content: AsyncIterable<Buffer> | undefined, whole: boolean): Promise<Buffer> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content ?? []) {
    bytes += chunk.length;
    if (whole || bytes <= DELIVERY_BYTES) kept.push(chunk);
  }
  return kept.length === 1 ? kept[0]! : Buffer.concat(kept);
}

/**
 * The parsed content of a verified delivery: JSON, or a form with JSON in one field. Throws `unsupported_media_type`,
 * `invalid_request`, `payload_too_large`.
 */
export function readPayload(raw: Buffer, content_type: string | undefined, form_field: string | undefined): JsonObject {
  if (raw.length > DELIVERY_BYTES)
    throw Errors.payloadTooLarge(`the delivery has ${raw.length} bytes; the limit is ${DELIVERY_BYTES}`);
  const [type = ''] = (content_type ?? '').toLowerCase().split(';');
  const json = type.trim() === FORM && form_field !== undefined ? fromForm(raw, form_field) : raw;
  if (json === raw && !JSON_TYPE.test(type.trim()))
    throw Errors.unsupportedMediaType(
      `the Content-Type must be application/json${form_field === undefined ? '' : ` or ${FORM}`}`,
    );
  const payload = parseJson(json);
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return payload as JsonObject;
  throw Errors.invalidRequest('the delivery must be a JSON object');
}

function fromForm(raw: Buffer, field: string): Buffer {
  const text = new URLSearchParams(raw.toString('utf8')).get(field);
  if (text === null) throw Errors.invalidRequest(`the form has no field ${field}`);
  return Buffer.from(text);
}
