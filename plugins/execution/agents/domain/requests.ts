import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { Errors, type Fault } from '../../../../kernel/contracts/index.ts';
import { containsExact, JSON_LIMITS, nestsTooDeep, withDoubles } from '../../../platform/schema/contract.ts';
import type { ChannelOp, ChannelRequests } from '../contract.ts';
import { AGENT_NAME } from './agent-name.ts';

/**
 * Maximum characters of a log chunk: 128 KiB in base64; agents send 64 KiB. Each reader of a log holds a chunk in memory,
 * and there can be thousands.
 */
const MAX_CHUNK_CHARS = 174_764;

const text = (maxLength: number, minLength = 0) => ({ type: 'string', minLength, maxLength });
const ascii = (maxLength: number) => ({ type: 'string', pattern: `^[\\x21-\\x7e]{1,${maxLength}}$` });
/** The end of the year 9999; later times cannot be written as dates. */
const MAX_EPOCH_MS = 253_402_300_799_999;
const integer = (maximum = Number.MAX_SAFE_INTEGER, minimum = 0) => ({ type: 'integer', minimum, maximum });
const list = (items: object, maxItems: number) => ({ type: 'array', items, maxItems });

function shape(properties: Record<string, object>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', additionalProperties: false, required, properties };
}

const claim = shape({ activity_id: ascii(128), epoch: integer() });
const claims = list(claim, 10_000);
const base64 = (maxChars: number) => ({ type: 'string', base64: maxChars });
/** What goes into a journal is validated by the store. */
const journaled = { type: 'object' };
const completion = {
  type: 'object',
  required: ['status'],
  oneOf: [
    shape({ status: { const: 'succeeded' }, output: {} }),
    shape(
      {
        status: { const: 'failed' },
        code: text(128, 1),
        message: text(1_048_576),
        exit_code: { type: 'integer' },
        final: { type: 'boolean' },
        retry_after_ms: integer(),
      },
      ['exit_code', 'final', 'retry_after_ms'],
    ),
  ],
};
const chunk = shape(
  {
    n: integer(),
    stream: { enum: ['stdout', 'stderr', 'system'] },
    at: integer(MAX_EPOCH_MS),
    site: text(1100, 1),
    data: base64(MAX_CHUNK_CHARS),
  },
  ['site'],
);

/**
 * Logs are the bulk of all frames, so a pattern or counting characters would cost more than storing them. Decoding is
 * fast, and drops every character that is not base64.
 */
function isBase64(data: string): boolean {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Buffer.from(data, 'base64').length === Math.floor(((data.length - padding) * 3) / 4);
}

/** Names of calls have 1,024 characters, and masks may lengthen them. */
const NAME_CHARS = 4096;
const LONGEST_MS = 1e12;
const call = shape(
  {
    kind: text(64, 1),
    name: text(NAME_CHARS),
    ordinal: integer(),
    label: text(NAME_CHARS),
    position: integer(),
    attempt: integer(10_000, 1),
    attempts: integer(10_000, 1),
    for_ms: integer(LONGEST_MS),
  },
  ['label', 'position', 'attempt', 'attempts'],
);

const SHAPES: Record<ChannelOp, object> = {
  hello: shape({
    protocol: integer(1_000_000),
    name: { type: 'string', pattern: AGENT_NAME },
    instance: ascii(64),
    os: ascii(32),
    arch: ascii(32),
    capabilities: list(ascii(64), 256),
    isolation: shape({ untrusted: { enum: ['refuse', 'isolate', 'only'] }, missing: text(500, 1) }, ['missing']),
    executors: list(ascii(64), 64),
    slots: integer(10_000, 1),
    version: ascii(64),
    pid: integer(),
    holding: claims,
  }),
  ready: shape({ free: integer(10_000), seen: integer() }, ['seen']),
  renew: shape({ claims }),
  append: shape({ claim, record: journaled }),
  perform: shape({ claim, call: journaled }),
  park: shape({ claim, wait: journaled }),
  attempt: shape({ claim, failed: journaled }),
  complete: shape({ claim, completion }),
  release: shape({ claim }),
  annotate: shape({ claim, nth: integer(1_000_000), text: text(1_048_576) }),
  logs: shape({ claim, chunks: list(chunk, 4096) }),
  under_way: shape({ calls: list(shape({ claim, call }, ['call']), 10_000) }),
};

const ajv = new Ajv2020({
  allErrors: false,
  strict: true,
  allowUnionTypes: true,
  validateSchema: false,
  meta: false,
  // As in plugins/platform/schema/contract/ajv.ts.
  code: { optimize: false },
});
ajv.addKeyword({
  keyword: 'base64',
  type: 'string',
  schemaType: 'number',
  error: { message: 'must be base64, and not longer than the limit for a chunk' },
  validate: (maxChars: number, data: string) => data.length <= maxChars && isBase64(data),
});
const validators = new Map<string, ValidateFunction>();

/** Compiled at the first message of its kind, because an agent, which only sends them, needs none. */
function validatorFor(op: ChannelOp): ValidateFunction {
  const cached = validators.get(op);
  if (cached) return cached;
  const compiled = ajv.compile(SHAPES[op]);
  validators.set(op, compiled);
  return compiled;
}

/** Returns the JSON that a caller chooses freely and that a store will write. */
function callerJson(op: ChannelOp, body: unknown): unknown {
  if (op === 'perform') return (body as ChannelRequests['perform']['body']).call.args;
  if (op === 'park') return (body as ChannelRequests['park']['body']).wait.args;
  if (op !== 'complete') return null;
  const { completion } = body as ChannelRequests['complete']['body'];
  return completion.status === 'succeeded' ? completion.output : null;
}

export function isChannelOp(op: string): op is ChannelOp {
  return Object.hasOwn(SHAPES, op);
}

/** Validates a body and returns it typed. Throws `invalid_request` with the pointer of the first error. */
export function validateBody<Op extends ChannelOp>(op: Op, body: unknown): ChannelRequests[Op]['body'] {
  const validate = validatorFor(op);
  // To a schema, a number that is kept as an object is an object.
  if (!validate(body) || (containsExact(body) && !validate(withDoubles(body)))) {
    const errors: Fault[] = (validate.errors ?? []).map((error) => ({
      pointer: error.instancePath,
      message: error.message ?? 'is not valid',
    }));
    const last_error = errors.at(-1) ?? { pointer: '', message: 'is not valid' };
    throw Errors.invalidRequest(`${op}: ${last_error.pointer || 'the body'} ${last_error.message}`, { errors: errors });
  }
  if (nestsTooDeep(callerJson(op, body), JSON_LIMITS.json_depth))
    throw Errors.invalidRequest(`${op}: JSON is nested more than ${JSON_LIMITS.json_depth} levels deep`);
  return body as ChannelRequests[Op]['body'];
}
