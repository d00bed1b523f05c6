import { useSyncExternalStore } from 'react';
import type { Scope } from '../api/paths.ts';
import { readRunFilters, type RunFilters } from './filters.ts';

/** Filters with a name. The address of a view contains only its filters, so that it can be shared. */
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

const MAX_VIEWS = 12;
const keyOf = ({ org, project }: Scope): string => `svc-views ${org}/${project}`;
const listeners = new Set<() => void>();
const parsed = new Map<string, { text: string; views: readonly View[] }>();

/** Reads the stored views. The text may come from another version of svc, or from someone else, so every part is checked. */
export function readViews(text: string | null): View[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(list)) return [];
    return list
      .filter((one): one is View => typeof one?.name === 'string' && typeof one.filters === 'object' && one.filters)
      .map(({ name, filters }) => ({ name, filters: readRunFilters(filters as Record<string, unknown>) }))
      .slice(0, MAX_VIEWS);
  } catch {
    return [];
  }
}

export const sameFilters = (a: RunFilters, b: RunFilters): boolean => sortedEntries(a) === sortedEntries(b);

function viewsOf(scope: Scope): readonly View[] {
  const text = localStorage.getItem(keyOf(scope)) ?? '[]';
  const cached = parsed.get(keyOf(scope));
  if (cached?.text === text) return cached.views;
  const views = readViews(text);
  parsed.set(keyOf(scope), { text, views });
  return views;
}

function subscribe(on: () => void): () => void {
  listeners.add(on);
  return () => listeners.delete(on);
}

/** The views of the project that are stored in this browser. */
export function useViews(scope: Scope) {
  const views = useSyncExternalStore(subscribe, () => viewsOf(scope));
  const put = (next: readonly View[]) => {
    localStorage.setItem(keyOf(scope), JSON.stringify(next.slice(-MAX_VIEWS)));
    for (const on of listeners) on();
  };
  return {
    views,
    keep: (view: View) => put([...views.filter(({ name }) => name !== view.name), view]),
    remove: (removed: string) => put(views.filter(({ name }) => name !== removed)),
  };
}

function sortedEntries(value: object): string {
  return JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
