import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { json } from '../api/client.ts';
import { query } from '../api/paths.ts';
import { MAX_PAGES, MOST } from '../api/all-pages.ts';

interface Options {
  /** Read again so often; absent for what does not change while a page is open. */
  again_ms?: number;
  enabled?: boolean;
  /** Read to its end without being asked, up to 5,000 entries: it is searched, chosen from or counted here. */
  whole?: boolean;
}

/** Lists for which there is no stream are read again so often. */
export const AGAIN_MS = 5000;

type Answer<Plural extends string, Item> = { next_cursor?: string } & Record<Plural, Item[]>;

/** A list of the API over its cursors: what was read of it so far. `path` is without a query. */
export function usePaged<Plural extends string, Item>(
  plural: Plural,
  path: string,
  filters: Record<string, string | number | undefined> = {},
  { again_ms, enabled = true, whole = false }: Options = {},
) {
  const list = useInfiniteQuery({
    queryKey: listKey(path, filters),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      json<Answer<Plural, Item>>(`${path}${query({ limit: whole ? MOST : 50, ...filters, cursor: pageParam })}`, {
        signal,
      }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    refetchInterval: again_ms ?? false,
    enabled,
  });
  const items: Item[] | undefined = list.data?.pages.flatMap((page) => page[plural]);
  const reads_on = whole && (list.data?.pages.length ?? 0) < MAX_PAGES;
  useUntilFound(list, reads_on || items?.length === 0);
  const reading = reads_on && (items === undefined || list.hasNextPage);
  // A number that still grows is none.
  const count = items && items.length > 0 && !list.hasNextPage ? items.length : undefined;
  return { ...list, items, reading, count };
}

interface Searched {
  hasNextPage: boolean;
  isFetching: boolean;
  isError: boolean;
  fetchNextPage(): unknown;
}

/** A list that is wanted whole, or a search that has looked at much without finding any, goes on from there. */
export function useUntilFound(list: Searched, goes_on: boolean): void {
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  const wanted = goes_on && hasNextPage && !isFetching && !isError;
  useEffect(() => {
    if (wanted) void fetchNextPage();
  }, [wanted, fetchNextPage]);
}

/** Whoever changes something of a list has it read again by this key. */
export const listKey = (path: string, filters?: object) => (filters ? ['list', path, filters] : ['list', path]);
