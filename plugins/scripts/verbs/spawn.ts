import { basename } from 'node:path';
import { verbUsage } from '../errors.ts';
import { answer } from './answer.ts';
import { exactly, readArguments } from './arguments.ts';
import { defineVerb } from './define-verb.ts';
import { readGivenFile } from './given-file.ts';

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
        ? {
            ...wishes,
            filename: basename(file!),
            source: textOf(await readGivenFile(call, file!, DOCUMENT_BYTES), file!),
          }
        : { ...wishes, source: piped };
    return answer(await call.pass.perform({ kind: 'spawn', name: '' }, args));
  },
});

function textOf(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw verbUsage(`${name} is not UTF-8 text; a workflow is a text file`);
  }
}
