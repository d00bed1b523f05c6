import { Errors } from './errors.ts';
import type { HttpRequest, JsonSchema, Route } from './http.ts';

/** The query parameters of a list. `cursor` is the `next_cursor` of the previous page. */
export const pageQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    cursor: { type: 'string', minLength: 1, maxLength: 1024, description: '`next_cursor` of the previous page.' },
  },
} as const;

type Query = Readonly<Record<string, string>>;
type CursorValue = string | number;
/** `id` is an id that this service made; `text` is a text that a caller chose. */
type CursorValueType = 'id' | 'text' | 'number';

/**
 * Tells whether a text can be an id of this service. No other text may be passed to the database as an id: it could match
 * because of padding, or be rejected for its character set.
 */
export const isId = (text: string): boolean => /^[\x21-\x7e]{1,64}$/.test(text);

/** Encodes an opaque position in a list: the sort key of the last entry of a page. */
export const encodeCursor = (...values: readonly CursorValue[]): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url');

/** Decodes a cursor into values of the types in `shape`; undefined without a cursor. Throws `invalid_request`. */
export function decodeCursor<const S extends readonly CursorValueType[]>(
  cursor: string | undefined,
  ...shape: S
): { [I in keyof S]: S[I] extends 'number' ? number : string } | undefined {
  if (cursor === undefined) return undefined;
  const values = parse(cursor);
  if (values?.length === shape.length && values.every((value, i) => isCursorValue(value, shape[i])))
    return values as never;
  throw Errors.invalidRequest('the cursor does not belong to this list', {
    errors: [{ pointer: '/query/cursor', message: 'send `next_cursor` of the previous page unchanged' }],
  });
}

function parse(cursor: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : undefined;
  } catch {
    // Whatever the problem is, the caller learns that this is not a valid cursor.
    return undefined;
  }
}

/** The values are bound into SQL, so each must be an id, a text of limited length, or a safe integer. */
function isCursorValue(value: unknown, type: CursorValueType | undefined): boolean {
  if (type === 'number') return Number.isSafeInteger(value);
  if (typeof value !== 'string') return false;
  return type === 'id' ? isId(value) : value.length <= 512;
}

export interface Page {
  limit: number;
  /** The last id of the previous page. */
  before: string | undefined;
}

export const limitOf = (query: Query): number => Number(query.limit ?? 50);

/** Reads the page of a list that is ordered by ids. Throws `invalid_request` for a cursor that no list has returned. */
export const readPage = (query: Query): Page => ({
  limit: limitOf(query),
  before: decodeCursor(query.cursor, 'id')?.[0],
});

/**
 * Makes a page of at most `limit` rows. `rows` has one more when there is a next page. `keyOf` returns the id of a row, or
 * the values of its cursor.
 */
export function pageOf<R>(
  rows: readonly R[],
  limit: number,
  keyOf: (row: R) => CursorValue | readonly CursorValue[],
): { items: R[]; next_cursor?: string } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length <= limit || last === undefined) return { items };
  return { items, next_cursor: encodeCursor(...[keyOf(last)].flat()) };
}

/** A page of a list, possibly with more members of the answer. */
export interface ListResult {
  items: readonly unknown[];
  next_cursor?: string;
}

export interface ListRoute extends Pick<Route, 'path' | 'operation' | 'summary' | 'access' | 'query' | 'unmetered'> {
  /** The member that holds the items. */
  plural: string;
  item: JsonSchema;
  /** Additional members of the answer; all of them are required. */
  members?: Readonly<Record<string, JsonSchema>>;
  /** Additional members that an answer may lack. */
  optional_members?: Readonly<Record<string, JsonSchema>>;
  /** The description of the answer in the OpenAPI document. */
  description: string;
  list(request: HttpRequest): Promise<ListResult>;
}

/** A `GET` route of a list, with `limit` and `cursor`. */
export function listRoute({
  plural,
  item,
  members = {},
  optional_members = {},
  description,
  list,
  ...route
}: ListRoute): Route {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: [plural, ...Object.keys(members)],
    properties: {
      [plural]: { type: 'array', items: item },
      ...members,
      ...optional_members,
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
