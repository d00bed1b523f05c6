import { valueTooLarge, verbUsage } from '../../../execution/replay/contract.ts';
import {
  toOutcome,
  defineVerb,
  readArguments,
  readNamedFile,
  type VerbCall,
} from '../../../execution/scripts/contract.ts';
import { emitHelp } from '../cli/verbs.ts';
import { parseExact, nestsTooDeep } from '../../../platform/schema/contract.ts';
import { EMIT_BYTES, isReserved, validateEventKey } from '../contract.ts';
import { readType } from './wait-event.ts';

/**
 * Implements `svc emit <type> [--key <subject>] [--payload <json>|-|@file]`: each call emits one event, however often
 * the script replays. The content of the first attempt stands, even if a later payload cannot be read. Prints the
 * event's id. An invalid type or key takes no position.
 */
export const emitVerb = defineVerb(emitHelp, async (call) => {
  const parsed = readArguments(call.argv, ['key', 'payload']);
  const type = readType(parsed);
  if (isReserved(type)) {
    const message = `event_type_reserved: only the service can emit events of type ${type}; choose another type`;
    return { exit: 1, stderr: `svc emit: ${message}\n`, message };
  }
  const { key, payload: text } = parsed.options;
  const problem = key === undefined ? undefined : validateEventKey(key);
  if (problem !== undefined) throw verbUsage(`--key ${problem}`);
  // Piped input must be read on every pass, but its content matters only if the event is really emitted.
  const piped = text === '-' ? await call.stdin(EMIT_BYTES) : undefined;
  const args = async () => {
    const payload = text === undefined ? null : parsePayload(await readPayloadText(call, text, piped));
    const event = { type, key: key && call.pass.mask(key), payload };
    assertEventSize(event);
    return event;
  };
  return toOutcome(await call.pass.perform({ kind: 'emit', name: type, public_name: true }, args));
});

async function readPayloadText(call: VerbCall, text: string, piped: Buffer | undefined): Promise<string> {
  if (piped !== undefined) return piped.toString();
  return text.startsWith('@') ? (await readNamedFile(call, text.slice(1), EMIT_BYTES)).toString() : text;
}

/** Parses a payload. Throws `verb_usage`. */
function parsePayload(text: string): unknown {
  let payload: unknown;
  try {
    payload = parseExact(text);
  } catch (error) {
    throw verbUsage(`--payload is not JSON: ${(error as Error).message}`);
  }
  if (nestsTooDeep(payload)) throw verbUsage('--payload nests deeper than 100 levels');
  return payload;
}

/** Throws `value_too_large` above the limit of an emit over HTTP. */
function assertEventSize(event: { type: string; key?: string; payload?: unknown }): void {
  const excess_bytes = Buffer.byteLength(JSON.stringify(event)) - EMIT_BYTES;
  const bytes = excess_bytes === 1 ? '1 byte' : `${excess_bytes} bytes`;
  if (excess_bytes > 0)
    throw valueTooLarge(
      `the event is ${bytes} over the limit of 2 MiB (${EMIT_BYTES} bytes); put large data in an artifact and send its name`,
    );
}
