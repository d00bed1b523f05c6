export const SOURCES = ['emit', 'hook', 'forge', 'lifecycle', 'schedule', 'manual', 'spawn', 'account'] as const;

/** What the address of the page says. */
export interface EventFilters {
  type?: string;
  key?: string;
  source?: string;
  /** `2h`, or a time. */
  since?: string;
}

const NAMES = ['type', 'key', 'source', 'since'] as const;

/** Texts of an address by their names; anything else that stands there is left out. */
export function readTexts<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const given = names.flatMap((name) => {
    const value = search[name];
    const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
    return text.trim() === '' ? [] : [[name, text.trim()] as const];
  });
  return Object.fromEntries(given) as Partial<Record<Name, string>>;
}

export const readEventFilters = (search: Record<string, unknown>): EventFilters => readTexts(search, NAMES);

/** The command with the same answer. */
export const commandOf = (filters: EventFilters, quote: (text: string) => string): string =>
  ['svc events ls', ...NAMES.flatMap((name) => (filters[name] ? [`--${name} ${quote(filters[name])}`] : []))].join(' ');

export const changed = (filters: EventFilters, change: EventFilters): EventFilters =>
  readEventFilters({ ...filters, ...change });

interface Listed {
  event: string;
  type: string;
  key: string | null;
  source: string;
}

/** Does an event that has just been recorded belong into a list with these filters? */
export const fits = (event: Listed, { type, key, source }: EventFilters): boolean =>
  (type === undefined || event.type === type) &&
  (key === undefined || event.key === key) &&
  (source === undefined || event.source === source);

/** The list, newest first, with an event that has just been recorded. */
export function withNew<E extends Listed>(list: readonly E[], event: E, filters: EventFilters): readonly E[] {
  if (!fits(event, filters) || list.some((one) => one.event === event.event)) return list;
  return [event, ...list];
}
