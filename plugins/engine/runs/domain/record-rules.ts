import { Errors, type JsonSchema } from '../../../../kernel/contracts/index.ts';
import { compile } from '../../../platform/schema/contract.ts';
import {
  type ArmWait,
  type CallSite,
  type FailedAttempt,
  type JournaledCall,
  type JournalRecord,
  journalRecordSchema,
  MAX_ARGS_BYTES,
  MAX_ATTEMPT_MESSAGE_LENGTH,
  MAX_ATTEMPT_OUTPUT_BYTES,
  MAX_ATTEMPTS,
  MAX_EXIT_CODE,
  MAX_MESSAGE_LENGTH,
  MAX_RECORD_OUTPUT_BYTES,
} from '../contract.ts';

const { exit_code: _, output: __, message: ___, ...siteProperties } = journalRecordSchema.properties;

const SITE_MEMBERS = ['position', 'kind', 'name', 'ordinal', 'digest', 'started_at'];

/** A durable call without an outcome. */
const callSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: [...SITE_MEMBERS, 'args'],
  properties: {
    ...siteProperties,
    args: {},
    timeout_ms: { type: 'number', maximum: Math.floor(Number.MAX_SAFE_INTEGER / 4) },
  },
};

function checkShape(schema: JsonSchema, value: unknown): void {
  const [fault] = compile(schema)(value, { all: false, doubles: true });
  if (fault) throw Errors.invalidRequest(`${fault.pointer.slice(1)} ${fault.message}`, { errors: [fault] });
}

/** Throws `invalid_request` or `payload_too_large` for a record that the journal refuses. */
export function checkRecord(record: JournalRecord): void {
  checkSizes(Buffer.byteLength(String(record.output), 'base64'), record.message, MAX_RECORD_OUTPUT_BYTES);
  checkShape(journalRecordSchema, record);
}

/** A failed attempt, beside the site of its call. */
const attemptSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: [...SITE_MEMBERS, 'attempt', 'attempts', 'exit_code', 'output', 'pause_ms', 'park'],
  properties: {
    ...journalRecordSchema.properties,
    output: { ...journalRecordSchema.properties.output, maxLength: Math.ceil(MAX_ATTEMPT_OUTPUT_BYTES / 3) * 4 },
    message: { ...journalRecordSchema.properties.message, maxLength: MAX_ATTEMPT_MESSAGE_LENGTH },
    attempt: { type: 'integer', minimum: 1, maximum: MAX_ATTEMPTS - 1 },
    attempts: { type: 'integer', minimum: 2, maximum: MAX_ATTEMPTS },
    pause_ms: { type: 'number', minimum: 0, maximum: Math.floor(Number.MAX_SAFE_INTEGER / 4) },
    park: { type: 'boolean' },
  },
};

/** The same for a failed attempt. */
export const checkAttempt = (failed: FailedAttempt): void => checkShape(attemptSchema, failed);

/** The same for a call that is performed, or that waits. */
export function checkCall(call: JournaledCall | ArmWait): void {
  checkShape(callSchema, call);
  const bytes = Buffer.byteLength(JSON.stringify(call.args) ?? '');
  if (bytes > MAX_ARGS_BYTES)
    throw Errors.payloadTooLarge(`the arguments are ${bytes} bytes long; the limit is ${MAX_ARGS_BYTES}`);
}

/** The same for the outcome of a server's verb or wait. */
export function checkOutcome(
  outcome: { exit_code: number; output: Buffer; message?: string },
  max_bytes = MAX_RECORD_OUTPUT_BYTES,
): void {
  const { exit_code } = outcome;
  if (!Number.isInteger(exit_code) || exit_code < 0 || exit_code > MAX_EXIT_CODE)
    throw Errors.invalidRequest(`exit_code must be 0 to ${MAX_EXIT_CODE}`);
  checkSizes(outcome.output.length, outcome.message, max_bytes);
}

function checkSizes(bytes: number, message: string | undefined, max_bytes: number): void {
  const over = bytes - max_bytes;
  if (over > 0) throw Errors.payloadTooLarge(`the output is ${over} bytes over the limit of ${max_bytes}`);
  if (message !== undefined && message.length > MAX_MESSAGE_LENGTH && [...message].length > MAX_MESSAGE_LENGTH)
    throw Errors.payloadTooLarge(`the message has more than ${MAX_MESSAGE_LENGTH} characters`);
}

type Compared = Omit<CallSite, 'label' | 'started_at'>;

/** True when two calls have the same site and arguments. */
export function sameSite(a: Compared, b: Compared): boolean {
  return (
    a.position === b.position &&
    a.kind === b.kind &&
    a.name === b.name &&
    a.ordinal === b.ordinal &&
    a.digest === b.digest
  );
}

/** True when `b` is what a client sends again after the answer to `a` was lost. */
export function sameRecord(a: JournalRecord, b: JournalRecord): boolean {
  return sameSite(a, b) && a.exit_code === b.exit_code && a.output === b.output && a.message === b.message;
}
