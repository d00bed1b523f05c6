import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { valueTooLarge, verbUsage } from '../errors.ts';
import type { VerbCall } from '../contract.ts';
import { answer } from './answer.ts';
import { exactly, readArguments } from './arguments.ts';
import { defineVerb } from './define-verb.ts';

const DOCUMENT_BYTES = 1024 * 1024;
const KINDS: Readonly<Record<string, string>> = { pipeline: 'pipeline', yaml: 'pipeline', script: 'script' };

/** `svc spawn <file> [--as pipeline|script] [--tag <t>]...`: a run of its own; prints its id and waits for nothing. */
export const spawnVerb = defineVerb({
  verb: 'spawn',
  summary:
    'Submits a file as a run of its own and prints its id; - reads it from standard input. Nothing waits for it, and what it comes to is no matter of this run.',
  usage: 'svc spawn <file>|- [--as pipeline|script] [--tag <tag>]…',
  async run(call) {
    const given = readArguments(call.argv, ['as'], ['tag']);
    const [file] = exactly(given, ['file']);
    const { as } = given.options;
    const kind = as === undefined ? undefined : KINDS[as];
    if (as !== undefined && kind === undefined)
      throw verbUsage(`--as takes pipeline or script, not ${as.slice(0, 60)}`);
    const wishes = { ...(kind === undefined ? {} : { kind }), tags: given.lists.tag ?? [] };
    // What is piped in must be taken, replay or not; a file is read only when the run is really made.
    const piped = file === '-' ? textOf(await call.stdin(DOCUMENT_BYTES), 'standard input') : undefined;
    const args = async () =>
      piped === undefined
        ? { ...wishes, filename: basename(file!), source: await readDocument(call, file!) }
        : { ...wishes, source: piped };
    return answer(await call.pass.perform({ kind: 'spawn', name: '' }, args));
  },
});

async function readDocument(call: VerbCall, file: string): Promise<string> {
  const bytes = await readFile(resolve(call.cwd, file)).catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'ENOENT' ? 'there is no such file' : error.code === 'EISDIR' ? 'it is a folder' : error.message;
    throw verbUsage(`cannot read ${file}: ${reason}`);
  });
  return textOf(bytes, file);
}

function textOf(bytes: Buffer, name: string): string {
  if (bytes.length > DOCUMENT_BYTES)
    throw valueTooLarge(
      `${name} has ${bytes.length} bytes, ${bytes.length - DOCUMENT_BYTES} more than the ${DOCUMENT_BYTES} taken`,
    );
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw verbUsage(`${name} is not UTF-8 text; a workflow is a text file`);
  }
}
