import { json } from './client.ts';
import { query } from './paths.ts';

/** The most that the API gives in one answer. */
export const MOST = 200;

interface Asked {
  filters?: Record<string, string | number | undefined>;
  signal: AbortSignal;
}

/** Every entry of a list of the API, over its cursors: for what is chosen from, searched or counted. `path` has no query. */
export async function readAllPages<Item>(path: string, plural: string, { filters, signal }: Asked): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  do {
    const at = `${path}${query({ limit: MOST, ...filters, cursor })}`;
    const page = await json<{ next_cursor?: string | null } & Record<string, Item[]>>(at, { signal });
    all.push(...(page[plural] ?? []));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}
