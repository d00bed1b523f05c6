import { BytePieces, Errors } from '../../../../kernel/contracts/index.ts';
import { parseJsonYielding } from '../../../platform/schema/contract.ts';
import type { JsonObject } from './json-pointer.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/;

/** Pushes with thousands of commits come close to this. Their events are bounded further. */
export const DELIVERY_BYTES = 8 * 1024 * 1024;
/**
 * Larger deliveries up to this size are read only to verify their signature before they are rejected. No forge sends
 * more than 25 MiB.
 */
export const SIGNED_BYTES = 32 * 1024 * 1024;

/**
 * Reads the bytes of a delivery. Without `whole`, bytes after the first `DELIVERY_BYTES` are discarded, so that no
 * signature matches.
 */
export async function readSigned(content: AsyncIterable<Buffer> | undefined, keep_all: boolean): Promise<Buffer> {
  const pieces = new BytePieces();
  let bytes = 0;
  for await (const chunk of content ?? []) {
    bytes += chunk.length;
    if (keep_all || bytes <= DELIVERY_BYTES) pieces.add(chunk);
  }
  return pieces.concat();
}

/**
 * The parsed content of a verified delivery: JSON, or a form with JSON in one field. Throws `unsupported_media_type`,
 * `invalid_request`, `payload_too_large`.
 */
export async function readPayload(
  raw: Buffer,
  content_type: string | undefined,
  form_field: string | undefined,
): Promise<JsonObject> {
  if (raw.length > DELIVERY_BYTES)
    throw Errors.payloadTooLarge(`the delivery is ${raw.length} bytes long; the limit is ${DELIVERY_BYTES}`);
  const [type = ''] = (content_type ?? '').toLowerCase().split(';');
  const json = type.trim() === FORM && form_field !== undefined ? readFormField(raw, form_field) : raw;
  if (json === raw && !JSON_TYPE.test(type.trim()))
    throw Errors.unsupportedMediaType(
      `the Content-Type must be application/json${form_field === undefined ? '' : ` or ${FORM}`}`,
    );
  const payload = await parseJsonYielding(json);
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return payload as JsonObject;
  throw Errors.invalidRequest('the delivery must be a JSON object');
}

/** Decodes this field only: `URLSearchParams` takes time in the square of the number of all fields. */
function readFormField(raw: Buffer, field: string): Buffer {
  const start = `${new URLSearchParams({ [field]: '' })}`;
  const found = raw.indexOf(`&${start}`);
  const at = raw.subarray(0, start.length).equals(Buffer.from(start)) ? 0 : found < 0 ? undefined : found + 1;
  if (at === undefined) throw Errors.invalidRequest(`the form has no field ${field}`);
  const end = raw.indexOf('&', at);
  const pair = new URLSearchParams(raw.toString('utf8', at, end < 0 ? undefined : end));
  return Buffer.from(pair.get(field) ?? '');
}
