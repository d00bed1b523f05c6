import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { MAX_STEP_OUTPUT_BYTES } from '../../../engine/runs/contract.ts';
import type { DiskView } from '../../../execution/scripts/contract.ts';
import { PipelineErrors } from '../errors.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,127}$/;

/** The outputs that a step wrote to `$SVC_OUTPUT`. Throws `step_invalid`. */
export async function readOutputs(path: string, room: DiskView): Promise<Record<string, string>> {
  const file = await openOutputs(path, room);
  if (file === undefined) return {};
  try {
    return parseOutputs(await readContent(file));
  } finally {
    await file.close();
  }
}

/** Returns undefined when the step removed the file. A step may have replaced it with a pipe, which must not block. */
async function openOutputs(path: string, room: DiskView): Promise<FileHandle | undefined> {
  try {
    return await room.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw outputsUnreadable((error as Error).message);
  }
}

async function readContent(file: FileHandle): Promise<string> {
  const stats = await file.stat();
  if (!stats.isFile()) throw outputsUnreadable('it is no longer a regular file');
  if (stats.size > MAX_STEP_OUTPUT_BYTES)
    throw PipelineErrors.stepInvalid(
      `the outputs are ${stats.size - MAX_STEP_OUTPUT_BYTES} bytes over the limit of 2 MiB; put large data in a file`,
    );
  return await file.readFile('utf8');
}

const outputsUnreadable = (reason: string) =>
  PipelineErrors.stepInvalid(`the file $SVC_OUTPUT cannot be read: ${reason}`);

/** Lines `key=value`, or `key<<END`, lines, `END`. Throws `step_invalid` and names the line. */
export function parseOutputs(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line === '') continue;
    const [, name = '', operator, rest = ''] = /^([^=<]*)(=|<<)(.*)$/s.exec(line) ?? [];
    if (operator === undefined || !NAME.test(name))
      throw invalidLine(at, 'is not key=value, with a key of letters, digits, _ and -');
    if (operator === '=') {
      outputs[name] = rest;
      continue;
    }
    const end = lines.indexOf(rest, at + 1);
    if (rest === '' || end < 0)
      throw invalidLine(at, `is not terminated: a later line must be ${JSON.stringify(rest.slice(0, 60))}`);
    outputs[name] = lines.slice(at + 1, end).join('\n');
    at = end;
  }
  return outputs;
}

const invalidLine = (line: number, message: string) =>
  PipelineErrors.stepInvalid(`line ${line + 1} of $SVC_OUTPUT ${message}`);
