import { Errors } from '../../../kernel/contracts/index.ts';

export type CursorPart = string | number;
/** `id`: one of ours; `text`: anything that somebody chose. */
type PartType = 'id' | 'text' | 'number';

/**
 * Ids of our own making. Whatever else a caller sends as one is never shown to the database: there it could be
 * compared with padding, or refused as being of another character set.
 */
export const isId = (text: string): boolean => /^[\x21-\x7e]{1,64}$/.test(text);

/** An opaque place in a list: the sort key of the last entry of a page. */
export function encodeCursor(parts: readonly CursorPart[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Reads a cursor back whose parts have the types of `shape`. Throws `invalid_request`; undefined stays undefined. */
export function decodeCursor<const S extends readonly PartType[]>(
  cursor: string | undefined,
  shape: S,
  pointer = '/query/cursor',
): { [I in keyof S]: S[I] extends 'number' ? number : string } | undefined {
  if (cursor === undefined) return undefined;
  const parts = parse(cursor);
  const fits = parts?.length === shape.length && parts.every((part, i) => isPart(part, shape[i]));
  if (!fits) throw badCursor(pointer);
  return parts as never;
}

/** A part is bound into SQL: an id, a text of sane length, or a safe whole number. */
function isPart(part: unknown, type: PartType | undefined): boolean {
  if (type === 'number') return Number.isSafeInteger(part);
  if (typeof part !== 'string') return false;
  return type === 'id' ? isId(part) : part.length <= 512;
}

function parse(cursor: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : undefined;
  } catch {
    // Whatever is wrong with the text, it is no cursor of ours: the caller is told so.
    return undefined;
  }
}

function badCursor(pointer: string) {
  const message = 'is no cursor of this list; begin again without it';
  return Errors.invalidRequest(`the cursor ${message}`, { errors: [{ pointer, message }] });
}
