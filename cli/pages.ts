import type { Call, Client } from './client/client.ts';
import type { Flags } from './command.ts';

/** The flags of lists that are read page by page. */
export const PAGE_FLAGS = {
  limit: { type: 'number', least: 1, most: 200, summary: 'maximum number (default 50)' },
  cursor: { type: 'string', summary: 'cursor from the end of the previous page' },
} as const satisfies Flags;

interface Bounds {
  max_pages?: number;
  /** How long the server may be silent. */
  idle_ms?: number;
}

/**
 * Reads all pages into one. `member` holds the items; the other members come from the last page, so that there is a `next_cursor`
 * only if the list is longer than `max_pages`.
 */
export async function readAllPages(
  client: Client,
  path: string,
  member: string,
  filter: Call['query'] = {},
  { max_pages = Infinity, idle_ms }: Bounds = {},
): Promise<Record<string, unknown>> {
  const items: unknown[] = [];
  let cursor: unknown;
  for (let pages = 1; ; pages += 1) {
    const query = { ...filter, limit: 200, cursor: cursor as string | undefined };
    const call = { path, query, expects: [member], ...(idle_ms !== undefined && { idle_ms }) };
    const page = await client.json<Record<string, unknown>>(call);
    items.push(...(page[member] as unknown[]));
    cursor = page.next_cursor;
    if (cursor === undefined || pages === max_pages) return { ...page, [member]: items };
  }
}

/**
 * Returns the first page with items, or the last page. A search that has scanned its limit without a match returns an empty
 * page and a cursor to continue from.
 */
export async function firstNonEmptyPage(
  client: Client,
  path: string,
  member: string,
  query: Call['query'],
): Promise<Record<string, unknown>> {
  const expects = [member];
  let page = await client.json<Record<string, unknown>>({ path, query, expects });
  while ((page[member] as unknown[]).length === 0 && page.next_cursor !== undefined)
    page = await client.json<Record<string, unknown>>({
      path,
      query: { ...query, cursor: page.next_cursor as string },
      expects,
    });
  return page;
}

/** Reads all items of a list. `filter` is the query that selects them. */
export const readAll = async <T>(client: Client, path: string, member: string, filter?: Call['query']): Promise<T[]> =>
  (await readAllPages(client, path, member, filter))[member] as T[];
