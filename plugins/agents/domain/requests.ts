import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { Errors, type Fault } from '../../../kernel/contracts/index.ts';
import { holdsExact, JSON_LIMITS, nestsTooDeep, withDoubles } from '../../schema/contract.ts';
import type { ChannelOp, ChannelRequests } from '../contract.ts';
import { AGENT_NAME } from './agent-name.ts';

/** Of one chunk of a log: 2 MiB in base64. */
const MAX_CHUNK_CHARS = 2_796_204;

const text = (maxLength: number, minLength = 0) => ({ type: 'string', minLength, maxLength });
const ascii = (maxLength: number) => ({ type: 'string', pattern: `^[\\x21-\\x7e]{1,${maxLength}}$` });
/** The end of the year 9999: a later time has no date that can be shown. */
const LAST_MS = 253_402_300_799_999;
const whole = (maximum = Number.MAX_SAFE_INTEGER, minimum = 0) => ({ type: 'integer', minimum, maximum });
const list = (items: object, maxItems: number) => ({ type: 'array', items, maxItems });

function shape(properties: Record<string, object>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', additionalProperties: false, required, properties };
}

const claim = shape({ activity_id: ascii(128), epoch: whole() });
const claims = list(claim, 10_000);
const base64 = (maxChars: number) => ({ type: 'string', base64: maxChars });
/** What goes into a journal is checked by whoever keeps it. */
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
        retry_after_ms: whole(),
      },
      ['exit_code', 'final', 'retry_after_ms'],
    ),
  ],
};
const chunk = shape(
  {
    n: whole(),
    stream: { enum: ['stdout', 'stderr', 'system'] },
    at: whole(LAST_MS),
    site: text(1100, 1),
    data: base64(MAX_CHUNK_CHARS),
  },
  ['site'],
);

/**
 * Logs are the bulk of all frames: a pattern, or counting their characters, would cost more than storing them. Decoding
 * is fast, and leaves out every character that is none of base64.
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
    ordinal: whole(),
    label: text(NAME_CHARS),
    position: whole(),
    attempt: whole(10_000, 1),
    attempts: whole(10_000, 1),
    for_ms: whole(LONGEST_MS),
  },
  ['label', 'position', 'attempt', 'attempts'],
);

const SHAPES: Record<ChannelOp, object> = {
  hello: shape({
    protocol: whole(1_000_000),
    name: { type: 'string', pattern: AGENT_NAME },
    instance: ascii(64),
    os: ascii(32),
    arch: ascii(32),
    capabilities: list(ascii(64), 256),
    isolation: shape({ untrusted: { enum: ['refuse', 'isolate', 'only'] }, missing: text(500, 1) }, ['missing']),
    executors: list(ascii(64), 64),
    slots: whole(10_000, 1),
    version: ascii(64),
    pid: whole(),
    holding: claims,
  }),
  ready: shape({ free: whole(10_000), seen: whole() }, ['seen']),
  renew: shape({ claims }),
  append: shape({ claim, record: journaled }),
  perform: shape({ claim, call: journaled }),
  park: shape({ claim, wait: journaled }),
  attempt: shape({ claim, failed: journaled }),
  complete: shape({ claim, completion }),
  release: shape({ claim }),
  annotate: shape({ claim, nth: whole(1_000_000), text: text(1_048_576) }),
  logs: shape({ claim, chunks: list(chunk, 4096) }),
  under_way: shape({ calls: list(shape({ claim, call }, ['call']), 10_000) }),
};

const ajv = new Ajv2020({ allErrors: false, strict: true, allowUnionTypes: true, validateSchema: false, meta: false });
ajv.addKeyword({
  keyword: 'base64',
  type: 'string',
  schemaType: 'number',
  error: { message: 'must be base64, and not longer than a chunk may be' },
  validate: (maxChars: number, data: string) => data.length <= maxChars && isBase64(data),
});
const checks = new Map<string, ValidateFunction>();

/** Compiled at the first message of the kind: an agent, which sends them, needs none of the checks. */
function checkOf(op: ChannelOp): ValidateFunction {
  const known = checks.get(op);
  if (known) return known;
  const made = ajv.compile(SHAPES[op]);
  checks.set(op, made);
  return made;
}

/** The values that a caller chooses freely, and that a store will write as JSON. */
function freeJson(op: ChannelOp, body: unknown): unknown {
  if (op === 'perform') return (body as ChannelRequests['perform']['body']).call.args;
  if (op === 'park') return (body as ChannelRequests['park']['body']).wait.args;
  if (op !== 'complete') return null;
  const { completion } = body as ChannelRequests['complete']['body'];
  return completion.status === 'succeeded' ? completion.output : null;
}

export function isChannelOp(op: string): op is ChannelOp {
  return Object.hasOwn(SHAPES, op);
}

/** Answers the body as what it is. Throws `invalid_request` with the pointer of the first fault. */
export function checkBody<Op extends ChannelOp>(op: Op, body: unknown): ChannelRequests[Op]['body'] {
  const check = checkOf(op);
  // To a schema, a number that is held as an object is one.
  if (!check(body) || (holdsExact(body) && !check(withDoubles(body)))) {
    const faults: Fault[] = (check.errors ?? []).map((error) => ({
      pointer: error.instancePath,
      message: error.message ?? 'is not valid',
    }));
    const first = faults.at(-1) ?? { pointer: '', message: 'is not valid' };
    throw Errors.invalidRequest(`${op}: ${first.pointer || 'the body'} ${first.message}`, { errors: faults });
  }
  if (nestsTooDeep(freeJson(op, body), JSON_LIMITS.json_depth))
    throw Errors.invalidRequest(`${op}: JSON is nested more than ${JSON_LIMITS.json_depth} levels deep`);
  return body as ChannelRequests[Op]['body'];
}
