import { useQuery } from '@tanstack/react-query';
import type { View as SavedView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { readRunFilters, type RunFilters } from './filters.ts';

/** Filters with a name that every project has. The address of such a view contains only its filters. */
export interface View {
  name: string;
  filters: RunFilters;
}

export const VIEWS: readonly View[] = [
  { name: 'All', filters: {} },
  { name: 'In progress', filters: { status: 'queued,running,waiting' } },
  { name: 'Waiting', filters: { status: 'waiting' } },
  { name: 'Failed today', filters: { status: 'failed', since: '24h' } },
];

/** A view of the project or of the user, which the server stores. The address of such a view contains its name. */
export interface StoredView extends View {
  is_private: boolean;
}

/** The views of a project and the private ones of a user fit on one page. */
const PAGE = 200;
/** Views rarely change, and the user's own changes are read at once. */
const AGAIN_MS = 60_000;

/** Returns the views by name, sorted. A private view hides the one of the project that has its name. */
export function storedViews(views: readonly SavedView[]): StoredView[] {
  const by_name = new Map<string, StoredView>();
  for (const { name, filter, private: is_private } of views)
    if (is_private || !by_name.has(name))
      by_name.set(name, { name, is_private, filters: readRunFilters({ ...filter }) });
  return [...by_name.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the filters that apply: those of the address, and below them those of its view. Undefined while the view is unknown. */
export function effectiveFilters(
  { view, ...filters }: RunFilters,
  views: readonly StoredView[] | undefined,
): RunFilters | undefined {
  if (view === undefined) return filters;
  const stored = views?.find(({ name }) => name === view);
  return stored && { ...stored.filters, ...filters };
}

export const sameFilters = (a: RunFilters, b: RunFilters): boolean => sortedEntries(a) === sortedEntries(b);

/** The views that are stored on the server. */
export function useViews(scope: Scope) {
  const path = scoped(scope, '/views');
  const refetch = useRefetch();
  const key = ['views', scope.org, scope.project];
  const itemOf = (name: string) => `${path}/${encodeURIComponent(name)}`;
  const { data, isPending } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => json<{ views: SavedView[] }>(`${path}${query({ limit: PAGE })}`, { signal }),
    refetchInterval: AGAIN_MS,
  });
  return {
    views: data && storedViews(data.views),
    isPending,
    async save({ name, is_private, filters: { paused, ...filters } }: StoredView) {
      const filter = { ...filters, ...(paused !== undefined && { paused: paused === 'true' }) };
      await json(itemOf(name), { method: 'PUT', body: { filter, private: is_private } });
      await refetch(key);
    },
    async remove({ name, is_private }: StoredView) {
      await json(`${itemOf(name)}${query(is_private ? { private: 'true' } : {})}`, { method: 'DELETE' });
      await refetch(key);
    },
  };
}

function sortedEntries(value: object): string {
  return JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
