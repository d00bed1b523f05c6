import { isServiceError } from '../../../kernel/contracts/index.ts';
import { readJson } from './json.ts';
import type { TextPlace } from './text-place.ts';

const PLACE = / at line (\d+), column (\d+)$/;

/** The value of a JSON text, or why it has none, and where. */
export function readJsonText(text: string): { value: unknown } | { fault: TextPlace & { message: string } } {
  const read = valueIn(text);
  if ('value' in read) return read;
  const [, line = '1', column = '1'] = PLACE.exec(read.not) ?? [];
  const message = read.not.replace(/^the body /, '').replace(PLACE, '');
  return { fault: { line: Number(line), column: Number(column), message } };
}

function valueIn(text: string): { value: unknown } | { not: string } {
  try {
    return readJson(Buffer.from(text));
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { not: error.message };
  }
}
