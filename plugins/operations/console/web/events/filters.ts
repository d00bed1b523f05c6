export const SOURCES = [
  'emit',
  'hook',
  'forge',
  'lifecycle',
  'schedule',
  'manual',
  'spawn',
  'account',
  'trigger',
] as const;

/** What the address of the page says. */
export interface EventFilters {
  type?: string;
  key?: string;
  source?: string;
  /** `2h`, or a time. */
  since?: string;
  /** The start and end of runs are listed, too: that of each run would hide all others. */
  lifecycle?: 'show';
  /** The event whose payload and effects are shown beside the list. */
  event?: string;
}

/** The events that each run brings with it, whoever starts it. */
const RUN_SOURCES = 'lifecycle,manual,spawn';

const NAMES = ['type', 'key', 'source', 'since'] as const;

/** What the API is asked for. */
export interface EventQuery {
  type?: string;
  key?: string;
  source?: string;
  since?: string;
  exclude?: typeof RUN_SOURCES;
}

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

export function readEventFilters(search: Record<string, unknown>): EventFilters {
  const { event } = readTexts(search, ['event']);
  return {
    ...readTexts(search, NAMES),
    ...(search.lifecycle === 'show' && { lifecycle: 'show' }),
    ...(event !== undefined && { event }),
  };
}

/** Lifecycle events are noise until somebody asks for them: by the switch, by their type or by their source. */
export function toEventQuery({ lifecycle, event: _event, ...filters }: EventFilters): EventQuery {
  const shown = lifecycle === 'show' || filters.type !== undefined || filters.source !== undefined;
  return shown ? filters : { ...filters, exclude: RUN_SOURCES };
}

/** Returns the command that lists the same events. */
export const commandOf = (asked: EventQuery, quote: (text: string) => string): string =>
  [
    'svc events ls',
    ...[...NAMES, 'exclude' as const].flatMap((name) => (asked[name] ? [`--${name} ${quote(asked[name])}`] : [])),
  ].join(' ');

interface Listed {
  event: string;
  type: string;
  key: string | null;
  source: string;
}

/** True if a new event belongs in a list with these filters. */
export const matchesFilters = (event: Listed, { type, key, source, exclude }: EventQuery): boolean =>
  exclude?.split(',').includes(event.source) !== true &&
  (type === undefined || event.type === type) &&
  (key === undefined || event.key === key) &&
  (source === undefined || event.source === source);

/** Adds a new event to the top of a list if it matches the filters. */
export function withNew<E extends Listed>(list: readonly E[], event: E, asked: EventQuery): readonly E[] {
  if (!matchesFilters(event, asked) || list.some((one) => one.event === event.event)) return list;
  return [event, ...list];
}
