import { isServiceError } from '../../../kernel/contracts/index.ts';
import { parseJson } from '../../schema/contract.ts';

const MAX_LENGTH = 255;

/** A number as it is written: a large id must not lose its last digits. */
class Written {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;

const written: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined ? new Written(source) : value;

/** The account of an answer of an identity endpoint, or why it names none. */
export function identityOf(
  bytes: Buffer,
  { id_pointer, label_pointer }: { id_pointer: string; label_pointer?: string },
): { id: string; label: string } | { fault: string } {
  const document = read(bytes);
  if (document === undefined) return { fault: 'its answer is no JSON' };
  const found = at(document, id_pointer);
  if (found === undefined) return { fault: `its answer has nothing at ${id_pointer}` };
  const id = textOf(found);
  if (id === undefined) return { fault: `its answer has neither a text nor a number at ${id_pointer}` };
  if (id === '' || id.length > MAX_LENGTH || /\p{Cc}/u.test(id))
    return { fault: `its answer has no usable id at ${id_pointer} (1 to ${MAX_LENGTH} characters)` };
  const label = label_pointer === undefined ? '' : (textOf(at(document, label_pointer)) ?? '');
  return { id, label: plainLabel(label) || id };
}

function read(bytes: Buffer): unknown {
  try {
    // Limits of depth and size first.
    parseJson(bytes);
    return (JSON.parse as (text: string, reviver: Reviver) => unknown)(bytes.toString('utf8'), written);
  } catch (error) {
    if (isServiceError(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The value at a JSON pointer; undefined when it leads nowhere. Own members only. */
function at(document: unknown, pointer: string): unknown {
  let value = document;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || value instanceof Written || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function textOf(value: unknown): string | undefined {
  if (value instanceof Written) return value.text;
  return typeof value === 'string' ? value : undefined;
}

const plainLabel = (label: string): string =>
  label
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH);
