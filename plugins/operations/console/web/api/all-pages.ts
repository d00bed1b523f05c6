import { json } from './client.ts';
import { query } from './paths.ts';

/** The most that the API gives in one answer. */
export const MOST = 200;
/** A page reads at most this many answers of a list by itself: 5,000 entries. */
export const MAX_PAGES = 25;

interface Asked {
  filters?: Record<string, string | number | undefined>;
  signal: AbortSignal;
}

/** The first 5,000 entries of a list of the API, over its cursors: for what is chosen from or searched. `path` has no query. */
export async function readAllPages<Item>(path: string, plural: string, { filters, signal }: Asked): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && (pages === 0 || cursor !== undefined); pages += 1) {
    const at = `${path}${query({ limit: MOST, ...filters, cursor })}`;
    const page = await json<{ next_cursor?: string | null } & Record<string, Item[]>>(at, { signal });
    all.push(...(page[plural] ?? []));
    cursor = page.next_cursor ?? undefined;
  }
  return all;
}
