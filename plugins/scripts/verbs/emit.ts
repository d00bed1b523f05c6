import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EMIT_BYTES, isReserved } from '../../bus/contract.ts';
import type { VerbCall } from '../contract.ts';
import { checkEventKey, checkEventSize, checkEventType, parsePayload } from '../domain/event.ts';
import { valueTooLarge, verbUsage } from '../errors.ts';
import { answer } from './answer.ts';
import { exactly, readArguments } from './arguments.ts';
import { defineVerb } from './define-verb.ts';

/**
 * `svc emit <type> [--key <subject>] [--payload <json>|-|@file]`: one event a call, however often the script is replayed;
 * what the first attempt said stands. Prints the event's id. What no attempt could emit takes no position.
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
    const payload = text === undefined ? null : parsePayload(await payloadText(call, text));
    const event = { type: type!, ...(key === undefined ? {} : { key }), payload };
    checkEventSize(event);
    return answer(await call.pass.perform({ kind: 'emit', name: type! }, event));
  },
});

async function payloadText(call: VerbCall, given: string): Promise<string> {
  if (given === '-') return (await call.stdin(EMIT_BYTES)).toString();
  return given.startsWith('@') ? readBounded(resolve(call.cwd, given.slice(1))) : given;
}

/** A file that has grown beyond what an event takes is not read to its end. */
async function readBounded(path: string): Promise<string> {
  const file = await open(path).catch((error: Error) => {
    throw verbUsage(`--payload cannot be read: ${error.message}`);
  });
  try {
    const buffer = Buffer.alloc(EMIT_BYTES + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < buffer.length; size += read)
      ({ bytesRead: read } = await file.read(buffer, size, buffer.length - size));
    if (size > EMIT_BYTES)
      throw valueTooLarge(`${path} has more than the 2 MiB (${EMIT_BYTES} bytes) that an event takes`);
    return buffer.toString('utf8', 0, size);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EISDIR' ? verbUsage(`--payload: ${path} is a folder`) : error;
  } finally {
    await file.close();
  }
}
