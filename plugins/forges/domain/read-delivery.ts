import { Errors } from '../../../kernel/contracts/index.ts';
import { parseJson } from '../../schema/contract.ts';
import type { JsonObject } from './places.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/;

/**
 * The parsed content of a verified delivery: JSON, or a form with JSON in one field. Throws `unsupported_media_type`,
 * `invalid_request`.
 */
export function readPayload(raw: Buffer, content_type: string | undefined, form_field: string | undefined): JsonObject {
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
