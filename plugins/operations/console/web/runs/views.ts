import { useSyncExternalStore } from 'react';
import type { Scope } from '../api/paths.ts';
import { readRunFilters, type RunFilters } from './filters.ts';

/** Filters under a name. The address of a view is that of its filters, so that others can be sent it. */
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

const MOST = 12;
const keyOf = ({ org, project }: Scope): string => `svc-views ${org}/${project}`;
const listeners = new Set<() => void>();
const kept = new Map<string, { text: string; views: readonly View[] }>();

/** What stands there may be of another version, or of nobody who meant well. */
export function readViews(text: string | null): View[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(list)) return [];
    return list
      .filter((one): one is View => typeof one?.name === 'string' && typeof one.filters === 'object' && one.filters)
      .map(({ name, filters }) => ({ name, filters: readRunFilters(filters as Record<string, unknown>) }))
      .slice(0, MOST);
  } catch {
    return [];
  }
}

export const sameFilters = (a: RunFilters, b: RunFilters): boolean => sortedEntries(a) === sortedEntries(b);

function viewsOf(scope: Scope): readonly View[] {
  const text = localStorage.getItem(keyOf(scope)) ?? '[]';
  const known = kept.get(keyOf(scope));
  if (known?.text === text) return known.views;
  const views = readViews(text);
  kept.set(keyOf(scope), { text, views });
  return views;
}

function subscribe(on: () => void): () => void {
  listeners.add(on);
  return () => listeners.delete(on);
}

/** The views that this browser keeps of the project. */
export function useViews(scope: Scope) {
  const views = useSyncExternalStore(subscribe, () => viewsOf(scope));
  const put = (next: readonly View[]) => {
    localStorage.setItem(keyOf(scope), JSON.stringify(next.slice(-MOST)));
    for (const on of listeners) on();
  };
  return {
    views,
    keep: (view: View) => put([...views.filter(({ name }) => name !== view.name), view]),
    remove: (gone: string) => put(views.filter(({ name }) => name !== gone)),
  };
}

function sortedEntries(value: object): string {
  return JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
