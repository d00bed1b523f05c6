import { Errors } from '../../../kernel/contracts/index.ts';
import type { ArmWait, JournalRecord } from '../contract.ts';

/** A record's stdout: 2 MiB of a step's output and room for what wraps an event's payload. */
export const RECORD_OUTPUT_BYTES = 2 * 1024 * 1024 + 64 * 1024;
/** The same for a wait, whose outcome the service itself makes: the whole of an event as a hook may have brought it. */
export const WAIT_OUTPUT_BYTES = 13 * 1024 * 1024 + 64 * 1024;
export const RECORD_TEXT_POINTS = 1024;
const MESSAGE_BYTES = 256 * 1024;
const ARGS_BYTES = 4 * 1024 * 1024;
const KIND = /^[a-z][a-z0-9-]{0,31}$/;
const DIGEST = /^[\x21-\x7e]{0,64}$/;
const POSITIONS = 10_000_000;

type Site = Pick<JournalRecord, 'position' | 'kind' | 'name' | 'ordinal' | 'digest' | 'label' | 'started_at'>;

const whole = (value: number, most: number): boolean => Number.isInteger(value) && value >= 0 && value <= most;
const short = (text: string): boolean => text.length <= RECORD_TEXT_POINTS || [...text].length <= RECORD_TEXT_POINTS;

function refuse(pointer: string, message: string): never {
  throw Errors.invalidRequest(`${pointer.slice(1)} ${message}`, { errors: [{ pointer, message }] });
}

/** What every durable call must satisfy to have a place in the journal. Throws `invalid_request`. */
export function checkSite(call: Site): void {
  if (!whole(call.position, POSITIONS)) refuse('/position', `must be a whole number up to ${POSITIONS}`);
  if (!whole(call.ordinal, POSITIONS)) refuse('/ordinal', `must be a whole number up to ${POSITIONS}`);
  if (!KIND.test(call.kind)) refuse('/kind', 'is no name of a verb');
  if (!short(call.name)) refuse('/name', `must have at most ${RECORD_TEXT_POINTS} characters`);
  if (call.label !== undefined && !short(call.label))
    refuse('/label', `must have at most ${RECORD_TEXT_POINTS} characters`);
  if (!DIGEST.test(call.digest)) refuse('/digest', 'must have at most 64 printable characters');
  if (!whole(call.started_at, Number.MAX_SAFE_INTEGER)) refuse('/started_at', 'must be epoch milliseconds');
}

/** The same for what a call came to. Throws `invalid_request` or `payload_too_large`. */
export function checkOutcome(
  outcome: { exit_code: number; output: Buffer; message?: string },
  most = RECORD_OUTPUT_BYTES,
): void {
  if (!whole(outcome.exit_code, 255)) refuse('/exit_code', 'must be 0 to 255');
  const over = outcome.output.length - most;
  if (over > 0) throw Errors.payloadTooLarge(`the output is ${over} bytes over the ${most} that are kept`);
  if (outcome.message !== undefined && Buffer.byteLength(outcome.message) > MESSAGE_BYTES)
    throw Errors.payloadTooLarge(`the message has more than ${MESSAGE_BYTES} bytes`);
}

/** Throws like `checkSite`, and for arguments that are too large or a timeout that is no span of time. */
export function checkWait(wait: ArmWait): void {
  checkSite(wait);
  checkArgs(wait.args);
  const { timeout_ms } = wait;
  if (timeout_ms !== undefined && !(Number.isFinite(timeout_ms) && timeout_ms <= Number.MAX_SAFE_INTEGER / 4))
    refuse('/timeout_ms', 'must be milliseconds');
}

export function checkArgs(args: unknown): void {
  const bytes = Buffer.byteLength(JSON.stringify(args) ?? '');
  if (bytes > ARGS_BYTES)
    throw Errors.payloadTooLarge(`the arguments have ${bytes} bytes; at most ${ARGS_BYTES} are taken`);
}

/** Do two calls stand at the same site with the same arguments? */
export function sameSite(a: Omit<Site, 'label' | 'started_at'>, b: Omit<Site, 'label' | 'started_at'>): boolean {
  return (
    a.position === b.position &&
    a.kind === b.kind &&
    a.name === b.name &&
    a.ordinal === b.ordinal &&
    a.digest === b.digest
  );
}

/** Is `b` what a client sends again when the answer to `a` was lost? */
export function sameRecord(a: JournalRecord, b: JournalRecord): boolean {
  return sameSite(a, b) && a.exit_code === b.exit_code && a.output === b.output && a.message === b.message;
}
