import { isServiceError } from '../../../../kernel/contracts/index.ts';
import { parseJson } from '../../../platform/schema/contract.ts';

const MAX_LENGTH = 255;
/** A longer answer would block the event loop; the account of one person has a few KiB. */
const MAX_ANSWER_BYTES = 256 * 1024;

/** A number in its original spelling, so that a large id keeps its last digits. */
class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;

const keepNumberText: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined ? new NumberText(source) : value;

/** Reads the account from the answer of an identity endpoint, or explains why it names none. */
export function readIdentity(
  bytes: Buffer,
  { id_pointer, label_pointer }: { id_pointer: string; label_pointer?: string },
): { id: string; label: string } | { error: string } {
  if (bytes.length > MAX_ANSWER_BYTES) return { error: `its response has more than ${MAX_ANSWER_BYTES} bytes` };
  const document = parseDocument(bytes);
  if (document === undefined) return { error: 'its response is not JSON' };
  const id_value = valueAt(document, id_pointer);
  if (id_value === undefined) return { error: `its response has nothing at ${id_pointer}` };
  const id = toText(id_value);
  if (id === undefined) return { error: `its response has neither a string nor a number at ${id_pointer}` };
  if (id === '' || id.length > MAX_LENGTH || /\p{Cc}/u.test(id))
    return { error: `its response has no usable id at ${id_pointer} (1 to ${MAX_LENGTH} characters)` };
  const label = label_pointer === undefined ? '' : (toText(valueAt(document, label_pointer)) ?? '');
  return { id, label: cleanLabel(label) || id };
}

function parseDocument(bytes: Buffer): unknown {
  try {
    // Limits of depth and size first.
    parseJson(bytes);
    return (JSON.parse as (text: string, reviver: Reviver) => unknown)(bytes.toString('utf8'), keepNumberText);
  } catch (error) {
    if (isServiceError(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The value at a JSON pointer; undefined when it leads nowhere. Own members only. */
function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || value instanceof NumberText || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function toText(value: unknown): string | undefined {
  if (value instanceof NumberText) return value.text;
  return typeof value === 'string' ? value : undefined;
}

const cleanLabel = (label: string): string =>
  label
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH);
