import type { Fault, JsonSchema } from '../../../../kernel/contracts/index.ts';
import { validateHeaders } from '../../../platform/egress/contract.ts';
import { CREDENTIAL_KINDS } from '../../../secrets/credentials/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { compileAtUse, pointerTo } from '../../../platform/schema/contract.ts';
import { CREDENTIAL_PLACEHOLDER, type NodeRequest } from '../contract.ts';
import { RequestErrors } from '../errors.ts';
import config from '../schema/http-config.schema.json' with { type: 'json' };
import type { Authentication } from './authentication.ts';
import { validateUrl } from './url.ts';

/** Bytes of a request as JSON. */
export const MAX_REQUEST_BYTES = 2 * 1024 * 1024;
export const MAX_TIMEOUT_MS = 3_600_000;

const { timeout: _, headers, ...members } = config.properties;

const SCHEMA: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url', 'method'],
  properties: {
    ...members,
    headers: { ...headers, additionalProperties: { type: 'string' } },
    timeout_ms: { type: 'integer', minimum: 1, maximum: MAX_TIMEOUT_MS },
    requires_credential: {
      type: 'object',
      additionalProperties: false,
      required: ['kinds'],
      properties: {
        kinds: { type: 'array', minItems: 1, items: { enum: [...CREDENTIAL_KINDS] } },
        header: { type: 'string', minLength: 1 },
      },
    },
    sign: {
      type: 'object',
      additionalProperties: false,
      required: ['header', 'algorithm', 'encoding', 'signs'],
      properties: {
        header: { type: 'string', minLength: 1 },
        algorithm: { enum: ['sha256', 'sha1', 'sha512'] },
        encoding: { enum: ['hex', 'base64'] },
        prefix: { type: 'string' },
        signs: { type: 'string', minLength: 1 },
        timestamp_header: { type: 'string', minLength: 1 },
        id_header: { type: 'string', minLength: 1 },
        key: {
          type: 'object',
          additionalProperties: false,
          required: ['encoding'],
          properties: { prefix: { type: 'string' }, encoding: { enum: ['base64', 'hex', 'text'] } },
        },
      },
    },
  },
};

const validate = compileAtUse(SCHEMA);

/** A request that can be sent once its credential is known. Throws `request_invalid`. */
export function checkRequest(requested: Json | NodeRequest): NodeRequest {
  const shape = validate(requested);
  if (shape.length > 0) throw requestInvalid(shape);
  const request = requested as NodeRequest;
  const errors = validateRequest(request);
  if (errors.length > 0) throw requestInvalid(errors);
  const bytes = Buffer.byteLength(JSON.stringify(request));
  if (bytes > MAX_REQUEST_BYTES)
    throw requestInvalid([{ pointer: '/body', message: `is ${bytes} bytes long; the limit is ${MAX_REQUEST_BYTES}` }]);
  return request;
}

type CheckedMembers = Pick<
  NodeRequest,
  'url' | 'method' | 'headers' | 'body' | 'encoding' | 'credential' | 'sign' | 'paginate'
>;

/** Validates what a schema cannot express. Members that are still unknown are left out. */
export function validateRequest(request: Partial<CheckedMembers>): Fault[] {
  return [
    ...validateUrlMembers(request),
    ...validateHeaders(request.headers ?? {}).map(({ name, message }) => ({
      pointer: pointerTo('/headers', name),
      message,
    })),
    ...validateBody(request),
    ...(request.sign && request.credential === undefined
      ? [{ pointer: '/credential', message: 'is required, because the request is signed with its value' }]
      : []),
  ];
}

function validateUrlMembers({ url, credential, paginate }: Partial<CheckedMembers>): Fault[] {
  if (url === undefined) return [];
  if (paginate?.kind === 'link' && url.includes(CREDENTIAL_PLACEHOLDER))
    return [
      { pointer: '/paginate/kind', message: `cannot be link, because the URL contains ${CREDENTIAL_PLACEHOLDER}` },
    ];
  const message = validateUrl(url);
  if (message !== undefined) return [{ pointer: '/url', message }];
  if (!url.includes(CREDENTIAL_PLACEHOLDER) || credential !== undefined) return [];
  return [{ pointer: '/credential', message: `is required, because the URL contains ${CREDENTIAL_PLACEHOLDER}` }];
}

function validateBody({ method, body, encoding }: Partial<CheckedMembers>): Fault[] {
  if (body === undefined) return [];
  if (method === 'HEAD') return [{ pointer: '/body', message: 'must be absent with HEAD' }];
  if (encoding === 'text' && typeof body !== 'string')
    return [{ pointer: '/body', message: 'must be a string with the encoding text' }];
  if (encoding === 'form' && !isForm(body))
    return [
      { pointer: '/body', message: 'must be an object whose values are strings, numbers, booleans or lists of these' },
    ];
  return [];
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

function isForm(body: Json): boolean {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return false;
  return Object.values(body).every((value) => value === null || [value].flat().every(isScalar));
}

/** The token of a `url_token` has no other place than the URL. Throws `request_invalid`. */
export function checkPlaceholder({ by }: Authentication, { url }: Pick<NodeRequest, 'url'>): void {
  if (by === 'url' && !url.includes(CREDENTIAL_PLACEHOLDER))
    throw requestInvalid([
      { pointer: '/url', message: `must contain ${CREDENTIAL_PLACEHOLDER}, where the token is put` },
    ]);
}

export const requestInvalid = (errors: Fault[]) =>
  RequestErrors.requestInvalid(errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; '), {
    errors,
    final: true,
  });
