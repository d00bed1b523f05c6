import { Errors } from './errors.ts';
import type { HttpRequest, JsonSchema, Route } from './http.ts';

/** The query of a list; `cursor` comes from the previous answer. */
export const pageQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    cursor: { type: 'string', minLength: 1, maxLength: 1024, description: '`next_cursor` of the page before.' },
  },
} as const;

type Query = Readonly<Record<string, string>>;
type CursorPart = string | number;
/** `id`: an id of this service; `text`: a text chosen by a caller. */
type PartType = 'id' | 'text' | 'number';

/**
 * Ids made by this service. Any other text is never passed to the database: it could match with padding, or be refused
 * for its character set.
 */
export const isId = (text: string): boolean => /^[\x21-\x7e]{1,64}$/.test(text);

/** An opaque position in a list: the sort key of the last entry of a page. */
export const encodeCursor = (...parts: readonly CursorPart[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

/** The parts of a cursor, with the types of `shape`; undefined without a cursor. Throws `invalid_request`. */
export function decodeCursor<const S extends readonly PartType[]>(
  cursor: string | undefined,
  ...shape: S
): { [I in keyof S]: S[I] extends 'number' ? number : string } | undefined {
  if (cursor === undefined) return undefined;
  const parts = parse(cursor);
  if (parts?.length === shape.length && parts.every((part, i) => isPart(part, shape[i]))) return parts as never;
  throw Errors.invalidRequest('the cursor does not belong to this list', {
    errors: [{ pointer: '/query/cursor', message: 'send `next_cursor` of the previous page unchanged' }],
  });
}

function parse(cursor: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : undefined;
  } catch {
    // Whatever is wrong with the text, the caller learns that it is not a valid cursor.
    return undefined;
  }
}

/** Parts are bound into SQL: an id, a text of limited length, or a safe integer. */
function isPart(part: unknown, type: PartType | undefined): boolean {
  if (type === 'number') return Number.isSafeInteger(part);
  if (typeof part !== 'string') return false;
  return type === 'id' ? isId(part) : part.length <= 512;
}

export interface Page {
  limit: number;
  /** The last id of the previous page. */
  before: string | undefined;
}

export const limitOf = (query: Query): number => Number(query.limit ?? 50);

/** The page of a list that is ordered by ids. Throws `invalid_request` for a cursor that no list gave. */
export const readPage = (query: Query): Page => ({
  limit: limitOf(query),
  before: decodeCursor(query.cursor, 'id')?.[0],
});

/** `rows` has one more than `limit` when there is a next page. `keyOf`: id, or the parts of the cursor. */
export function pageOf<R>(
  rows: readonly R[],
  limit: number,
  keyOf: (row: R) => CursorPart | readonly CursorPart[],
): { items: R[]; next_cursor?: string } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length <= limit || last === undefined) return { items };
  return { items, next_cursor: encodeCursor(...[keyOf(last)].flat()) };
}

/** A page with further members of the answer. */
export interface Listed {
  items: readonly unknown[];
  next_cursor?: string;
}

export interface ListRoute extends Pick<Route, 'path' | 'operation' | 'summary' | 'access' | 'query'> {
  /** The member that holds the items. */
  plural: string;
  item: JsonSchema;
  /** Further members of the answer; all are required. */
  members?: Readonly<Record<string, JsonSchema>>;
  /** Description of the answer. */
  description: string;
  list(request: HttpRequest): Promise<Listed>;
}

/** `GET` of a list, with `limit` and `cursor`. */
export function listRoute({ plural, item, members = {}, description, list, ...route }: ListRoute): Route {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: [plural, ...Object.keys(members)],
    properties: {
      [plural]: { type: 'array', items: item },
      ...members,
      next_cursor: { type: 'string', description: 'Absent on the last page.' },
    },
  };
  return {
    query: pageQuery,
    ...route,
    method: 'GET',
    responses: { 200: { description, schema } },
    async handle(request) {
      const { items, ...rest } = await list(request);
      return { status: 200, json: { [plural]: items, ...rest } };
    },
  };
}
