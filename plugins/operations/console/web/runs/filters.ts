export const STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const;

/** The filters in the address of the page, so that a link to the page includes them. */
export interface RunFilters {
  /** The name of a saved view. Its filters apply, unless the address has the same ones. */
  view?: string;
  /** Statuses, separated by commas. */
  status?: string;
  /** `true` or `false`. */
  paused?: string;
  workflow?: string;
  tag?: string;
  subject?: string;
  /** `push`, `manual`, `handler:<name>`, `schedule:<name>`, `event:<id>`, `run:<id>`. */
  trigger?: string;
  /** These four are searched for in the index of runs. */
  output?: string;
  error?: string;
  step?: string;
  account?: string;
  /** `2h`, or a time. */
  since?: string;
  until?: string;
}

const NAMES = [
  'view',
  'status',
  'paused',
  'workflow',
  'tag',
  'subject',
  'trigger',
  'output',
  'error',
  'step',
  'account',
  'since',
  'until',
] as const;

/** Reads the filters from the search parameters of an address, and ignores everything else in it. */
export function readRunFilters(search: Record<string, unknown>): RunFilters {
  const given = NAMES.flatMap((name) => {
    const value = search[name];
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    return typeof text === 'string' && text.trim() !== '' ? [[name, text.trim()] as const] : [];
  });
  return Object.fromEntries(given);
}

export const chosenStatuses = ({ status }: RunFilters): string[] => (status ? status.split(',') : []);

/** Adds a status to the filter, or removes it. Without a status, the filter matches runs of every status. */
export function toggleStatus(filters: RunFilters, status: string): RunFilters {
  const chosen = chosenStatuses(filters);
  const next = chosen.includes(status) ? chosen.filter((one) => one !== status) : [...chosen, status];
  const { status: _, ...rest } = filters;
  return next.length > 0 ? { ...rest, status: next.join(',') } : rest;
}

/** Returns the command that lists the same runs, or the one that cancels or reruns all runs that the filters select. */
export function commandOf(
  filters: RunFilters,
  quote: (text: string) => string,
  verb: 'ls' | 'cancel' | 'pause' | 'rerun' | 'resume' = 'ls',
): string {
  const flags = NAMES.flatMap((name) => {
    const value = filters[name];
    if (name === 'paused') return value === 'true' && verb !== 'resume' ? ['--paused'] : [];
    return value === undefined ? [] : [`--${name} ${quote(value)}`];
  });
  const every = verb !== 'ls' && flags.length === 0 ? ['--all'] : [];
  return [`svc runs ${verb}`, ...flags, ...every].join(' ');
}

/** The fields of a listed run that filters compare. */
export interface ListedRun {
  run_id: string;
  status: string;
  paused?: object | undefined;
  workflow: string;
  tags: readonly string[];
  subject?: string | undefined;
  parent?: string | undefined;
  trigger: { type: string; [field: string]: unknown };
}

/** Returns `handler:<name>` or `schedule:<name>` if a handler or a schedule started the run. */
export function starterOf(trigger: ListedRun['trigger']): string | undefined {
  const kind = (['handler', 'schedule'] as const).find((one) => typeof trigger[one] === 'string');
  return kind && `${kind}:${String(trigger[kind])}`;
}

/** Compares what started a run with the filter `trigger`, in the same way as the server. */
function matchesTrigger({ trigger, parent }: ListedRun, filter: string): boolean {
  const colon = filter.indexOf(':');
  if (colon < 0) return trigger.type === filter;
  const [kind, name] = [filter.slice(0, colon), filter.slice(colon + 1)];
  if (kind === 'run') return parent === name;
  return ['handler', 'schedule', 'event'].includes(kind) && trigger[kind] === name;
}

/** True if a changed run belongs in a list with these filters. Only the server compares times. */
export function matchesFilters(run: ListedRun, filters: RunFilters): boolean {
  const statuses = chosenStatuses(filters);
  return (
    (statuses.length === 0 || statuses.includes(run.status)) &&
    (filters.paused === undefined || (filters.paused === 'true') === (run.paused !== undefined)) &&
    (filters.workflow === undefined || filters.workflow === run.workflow) &&
    (filters.tag === undefined || run.tags.includes(filters.tag)) &&
    (filters.subject === undefined || run.subject === filters.subject) &&
    (filters.trigger === undefined || matchesTrigger(run, filters.trigger))
  );
}

/** True if the server finds the runs in its index. */
const isSearch = ({ output, error, step, account }: RunFilters): boolean =>
  [output, error, step, account].some((text) => text !== undefined);

/**
 * Returns the list with the current state of a run: replaced in its position, inserted if it is new, or removed if it no longer
 * matches the filters.
 */
export function updateRun<R extends ListedRun>(list: readonly R[], run: R, filters: RunFilters): readonly R[] {
  const at = list.findIndex(({ run_id }) => run_id === run.run_id);
  if (!matchesFilters(run, filters)) return at < 0 ? list : list.toSpliced(at, 1);
  if (at >= 0) return list.with(at, run);
  // A new run was created later than any `until`, and only the server searches in runs.
  if (filters.until !== undefined || isSearch(filters)) return list;
  // The list is sorted by ID, the newest first. A run that is older than all others is on a page that was not read yet.
  const place = list.findIndex(({ run_id }) => run_id < run.run_id);
  return place < 0 && list.length > 0 ? list : list.toSpliced(Math.max(0, place), 0, run);
}
