import { valueTooLarge, verbUsage } from '../../replay/contract.ts';
import { answer, defineVerb, readArguments, readGivenFile, type VerbCall } from '../../scripts/contract.ts';
import { emitHelp } from '../cli/verbs.ts';
import { parseExact, nestsTooDeep } from '../../schema/contract.ts';
import { EMIT_BYTES, isReserved, keyFault } from '../contract.ts';
import { readType } from './wait-event.ts';

/**
 * `svc emit <type> [--key <subject>] [--payload <json>|-|@file]`: one event for each call, however often the script
 * replays. The first attempt's content stands, even if its payload could not be read. Prints the event's id. An invalid
 * type or key takes no position.
 */
export const emitVerb = defineVerb(emitHelp, async (call) => {
  const given = readArguments(call.argv, ['key', 'payload']);
  const type = readType(given);
  if (isReserved(type)) {
    const message = `event_type_reserved: only the service emits events of type ${type}; choose another type`;
    return { exit: 1, stderr: `svc emit: ${message}\n`, message };
  }
  const { key, payload: text } = given.options;
  const fault = key === undefined ? undefined : keyFault(key);
  if (fault !== undefined) throw verbUsage(`--key ${fault}`);
  // Piped input must be read on every pass; its content matters only when the event is really emitted.
  const piped = text === '-' ? await call.stdin(EMIT_BYTES) : undefined;
  const args = async () => {
    const payload = text === undefined ? null : parsePayload(await payloadText(call, text, piped));
    const event = { type, key: key && call.pass.mask(key), payload };
    checkEventSize(event);
    return event;
  };
  return answer(await call.pass.perform({ kind: 'emit', name: type, public_name: true }, args));
});

async function payloadText(call: VerbCall, given: string, piped: Buffer | undefined): Promise<string> {
  if (piped !== undefined) return piped.toString();
  return given.startsWith('@') ? (await readGivenFile(call, given.slice(1), EMIT_BYTES)).toString() : given;
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
function checkEventSize(event: { type: string; key?: string; payload?: unknown }): void {
  const over = Buffer.byteLength(JSON.stringify(event)) - EMIT_BYTES;
  const bytes = over === 1 ? '1 byte' : `${over} bytes`;
  if (over > 0)
    throw valueTooLarge(
      `the event is ${bytes} over the limit of 2 MiB (${EMIT_BYTES} bytes); put large data in an artifact and send its name`,
    );
}
