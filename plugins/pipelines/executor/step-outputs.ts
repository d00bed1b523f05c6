import { readFile, stat } from 'node:fs/promises';
import { MAX_STEP_OUTPUT_BYTES } from '../../runs/contract.ts';
import { PipelineErrors } from '../errors.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,127}$/;

/** The outputs that a step wrote to `$SVC_OUTPUT`. Throws `step_invalid`. */
export async function readOutputs(path: string): Promise<Record<string, string>> {
  const size = await sizeOf(path);
  if (size > MAX_STEP_OUTPUT_BYTES)
    throw PipelineErrors.stepInvalid(
      `the outputs are ${size - MAX_STEP_OUTPUT_BYTES} bytes over the limit of 2 MiB; put large data in a file`,
    );
  return size === 0 ? {} : parseOutputs(await readFile(path, 'utf8'));
}

/** 0 when the step removed the file. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw PipelineErrors.stepInvalid(`the file $SVC_OUTPUT cannot be read: ${(error as Error).message}`);
  }
}

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
