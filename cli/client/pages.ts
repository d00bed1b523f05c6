import type { Client } from './client.ts';

/** Everything of a list, page by page; for lists of names, which are short. */
export async function allPages<T>(client: Client, path: string, plural: string): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.json<Record<string, unknown>>({ path, query: { limit: 200, cursor } });
    found.push(...(page[plural] as T[]));
    cursor = page.next_cursor as string | undefined;
  } while (cursor !== undefined);
  return found;
}
