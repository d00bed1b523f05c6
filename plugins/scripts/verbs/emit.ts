import { EMIT_BYTES, isReserved } from '../../bus/contract.ts';
import type { VerbCall } from '../contract.ts';
import { checkEventKey, checkEventSize, checkEventType, parsePayload } from '../domain/event.ts';
import { answer } from './answer.ts';
import { exactly, readArguments } from './arguments.ts';
import { defineVerb } from './define-verb.ts';
import { readGivenFile } from './given-file.ts';

/**
 * `svc emit <type> [--key <subject>] [--payload <json>|-|@file]`: one event a call, however often the script is replayed;
 * what the first attempt said stands, and so does that its payload could not be read. Prints the event's id. A type or a
 * key that is none takes no position.
 */
export const emitVerb = defineVerb({
  verb: 'emit',
  summary:
    'Emits an event, once for this place of the script, and prints its id. --payload takes JSON, - for standard input or @file.',
  usage: 'svc emit <type> [--key <subject>] [--payload <json>|-|@<file>]',
  async run(call) {
    const given = readArguments(call.argv, ['key', 'payload']);
    const [type] = exactly(given, ['type']);
    checkEventType(type!);
    if (isReserved(type!)) {
      const message = `event_type_reserved: events of type ${type} come from the service alone; choose another type`;
      return { exit: 1, stderr: `svc emit: ${message}\n`, message };
    }
    const { key, payload: text } = given.options;
    if (key !== undefined) checkEventKey(key);
    // What is piped in must be taken, replay or not; what it says matters only when the event is really emitted.
    const piped = text === '-' ? await call.stdin(EMIT_BYTES) : undefined;
    const args = async () => {
      const payload = text === undefined ? null : parsePayload(await payloadText(call, text, piped));
      const event = { type: type!, ...(key === undefined ? {} : { key }), payload };
      checkEventSize(event);
      return event;
    };
    return answer(await call.pass.perform({ kind: 'emit', name: type! }, args));
  },
});

async function payloadText(call: VerbCall, given: string, piped: Buffer | undefined): Promise<string> {
  if (piped !== undefined) return piped.toString();
  return given.startsWith('@') ? (await readGivenFile(call, given.slice(1), EMIT_BYTES)).toString() : given;
}
