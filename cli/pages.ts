import type { Call, Client } from './client/client.ts';
import type { Flags } from './command.ts';

/** The limit of lists that are read in pages. */
export const PAGE_FLAGS = {
  limit: { type: 'number', least: 1, most: 200, summary: 'maximum number (default 50)' },
  cursor: { type: 'string', summary: 'cursor that the previous page ended with' },
} as const satisfies Flags;

/** A whole list as one page: `member` holds the items, the other members come from the last page. */
export async function allPages(
  client: Client,
  path: string,
  member: string,
  filter: Call['query'] = {},
): Promise<Record<string, unknown>> {
  const found: unknown[] = [];
  let cursor: unknown;
  for (;;) {
    const query = { ...filter, limit: 200, cursor: cursor as string | undefined };
    const page = await client.json<Record<string, unknown>>({ path, query });
    found.push(...(page[member] as unknown[]));
    cursor = page.next_cursor;
    if (cursor === undefined) return { ...page, [member]: found };
  }
}

/**
 * The first page that has items, or the last one: a search that has looked at much without finding any gives an empty page, to go
 * on from there.
 */
export async function firstFound(
  client: Client,
  path: string,
  member: string,
  query: Call['query'],
): Promise<Record<string, unknown>> {
  let page = await client.json<Record<string, unknown>>({ path, query });
  while ((page[member] as unknown[]).length === 0 && page.next_cursor !== undefined)
    page = await client.json<Record<string, unknown>>({
      path,
      query: { ...query, cursor: page.next_cursor as string },
    });
  return page;
}

/** The list alone; `filter`: the query that selects what is listed. */
export const everything = async <T>(
  client: Client,
  path: string,
  member: string,
  filter?: Call['query'],
): Promise<T[]> => (await allPages(client, path, member, filter))[member] as T[];
