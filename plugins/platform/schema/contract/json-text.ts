import { isServiceError } from '../../../../kernel/contracts/index.ts';
import { readJson } from './json.ts';
import type { TextPosition } from './text-position.ts';

const POSITION = / at line (\d+), column (\d+)$/;

/** Parses a JSON text into its value, or into the error and its position. */
export function readJsonText(text: string): { value: unknown } | { error: TextPosition & { message: string } } {
  const read = valueIn(text);
  if ('value' in read) return read;
  const [, line = '1', column = '1'] = POSITION.exec(read.not) ?? [];
  const message = read.not.replace(/^the body /, '').replace(POSITION, '');
  return { error: { line: Number(line), column: Number(column), message } };
}

function valueIn(text: string): { value: unknown } | { not: string } {
  try {
    return readJson(Buffer.from(text));
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { not: error.message };
  }
}
