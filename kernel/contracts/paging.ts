import { Errors } from './errors.ts';

/** The query of a list: newest first, `cursor` from the answer before. */
export const pageQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    cursor: { type: 'string', minLength: 1, maxLength: 128 },
  },
} as const;

export interface Page {
  limit: number;
  /** The id that the page before ended with. */
  before: string | undefined;
}

/** Throws `invalid_request` on a cursor that no list gave. */
export function readPage(query: Readonly<Record<string, string>>): Page {
  const limit = query.limit === undefined ? 50 : Number(query.limit);
  if (query.cursor === undefined) return { limit, before: undefined };
  const before = Buffer.from(query.cursor, 'base64url').toString('latin1');
  if (/^[a-z]{1,8}_[0-9A-Z]{26}$/.test(before)) return { limit, before };
  throw Errors.invalidRequest('the cursor is not one that this list gave', {
    errors: [{ pointer: '/query/cursor', message: 'take `next_cursor` of the page before, unchanged' }],
  });
}

/** `rows` holds one more than `limit` when there is a further page. */
export function pageOf<R>(
  rows: readonly R[],
  limit: number,
  idOf: (row: R) => string,
): { items: R[]; next_cursor?: string } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length <= limit || last === undefined) return { items };
  return { items, next_cursor: Buffer.from(idOf(last), 'latin1').toString('base64url') };
}
