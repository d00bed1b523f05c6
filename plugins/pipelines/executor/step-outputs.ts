import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { MAX_STEP_OUTPUT_BYTES } from '../../runs/contract.ts';
import type { FileRoom } from '../../scripts/contract.ts';
import { PipelineErrors } from '../errors.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,127}$/;

/** The outputs that a step wrote to `$SVC_OUTPUT`. Throws `step_invalid`. */
export async function readOutputs(path: string, room: FileRoom): Promise<Record<string, string>> {
  const file = await opened(path, room);
  if (file === undefined) return {};
  try {
    return parseOutputs(await contentOf(file));
  } finally {
    await file.close();
  }
}

/** Undefined when the step removed the file. A step may have put anything in its place: a pipe is not waited for. */
async function opened(path: string, room: FileRoom): Promise<FileHandle | undefined> {
  try {
    return await room.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable((error as Error).message);
  }
}

async function contentOf(file: FileHandle): Promise<string> {
  const found = await file.stat();
  if (!found.isFile()) throw unreadable('it is no regular file any more');
  if (found.size > MAX_STEP_OUTPUT_BYTES)
    throw PipelineErrors.stepInvalid(
      `the outputs are ${found.size - MAX_STEP_OUTPUT_BYTES} bytes over the limit of 2 MiB; put large data in a file`,
    );
  return await file.readFile('utf8');
}

const unreadable = (reason: string) => PipelineErrors.stepInvalid(`the file $SVC_OUTPUT cannot be read: ${reason}`);

/** Lines `key=value`, or `key<<END`, lines, `END`. Throws `step_invalid` and names the line. */
export function parseOutputs(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line === '') continue;
    const [, name = '', mark, rest = ''] = /^([^=<]*)(=|<<)(.*)$/s.exec(line) ?? [];
    if (mark === undefined || !NAME.test(name))
      throw refused(at, 'is not key=value, with a key of letters, digits, _ and -');
    if (mark === '=') {
      outputs[name] = rest;
      continue;
    }
    const end = lines.indexOf(rest, at + 1);
    if (rest === '' || end < 0) throw refused(at, `has no end: a line that is ${JSON.stringify(rest.slice(0, 60))}`);
    outputs[name] = lines.slice(at + 1, end).join('\n');
    at = end;
  }
  return outputs;
}

const refused = (line: number, message: string) =>
  PipelineErrors.stepInvalid(`line ${line + 1} of $SVC_OUTPUT ${message}`);
