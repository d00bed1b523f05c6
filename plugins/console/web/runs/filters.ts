export const STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const;

/** What the address of the page says; every link to it is a filter that can be sent to others. */
export interface RunFilters {
  /** Statuses, separated by commas. */
  status?: string;
  workflow?: string;
  tag?: string;
  /** `2h`, or a time. */
  since?: string;
}

const NAMES = ['status', 'workflow', 'tag', 'since'] as const;

/** Anything else that stands in an address is left out. */
export function readRunFilters(search: Record<string, unknown>): RunFilters {
  const given = NAMES.flatMap((name) => {
    const value = search[name];
    const text = typeof value === 'number' ? String(value) : value;
    return typeof text === 'string' && text.trim() !== '' ? [[name, text.trim()] as const] : [];
  });
  return Object.fromEntries(given);
}

export const chosenStatuses = ({ status }: RunFilters): string[] => (status ? status.split(',') : []);

/** With a status more or less; none is all. */
export function toggled(filters: RunFilters, status: string): RunFilters {
  const chosen = chosenStatuses(filters);
  const next = chosen.includes(status) ? chosen.filter((one) => one !== status) : [...chosen, status];
  const { status: _, ...rest } = filters;
  return next.length > 0 ? { ...rest, status: next.join(',') } : rest;
}

/** The command with the same answer. */
export function commandOf(filters: RunFilters, quote: (text: string) => string): string {
  const flags = NAMES.flatMap((name) => {
    const value = filters[name];
    return value === undefined ? [] : [`--${name} ${quote(value)}`];
  });
  return ['svc runs ls', ...flags].join(' ');
}

/** Does a run that changed belong into a list with these filters? Times are for the server to judge. */
export function fits(run: { status: string; workflow: string; tags: readonly string[] }, filters: RunFilters): boolean {
  const statuses = chosenStatuses(filters);
  return (
    (statuses.length === 0 || statuses.includes(run.status)) &&
    (filters.workflow === undefined || filters.workflow === run.workflow) &&
    (filters.tag === undefined || run.tags.includes(filters.tag))
  );
}

/** The list with a run as it is now: in its place, at the top when it is new, gone when it fits no longer. */
export function patched<R extends { run_id: string; status: string; workflow: string; tags: readonly string[] }>(
  list: readonly R[],
  run: R,
  filters: RunFilters,
): readonly R[] {
  const at = list.findIndex(({ run_id }) => run_id === run.run_id);
  if (!fits(run, filters)) return at < 0 ? list : list.toSpliced(at, 1);
  if (at >= 0) return list.with(at, run);
  // Ids are ordered by time. One that is older than all that is shown belongs to a page that is not read yet.
  const place = list.findIndex(({ run_id }) => run_id < run.run_id);
  return place < 0 && list.length > 0 ? list : list.toSpliced(Math.max(0, place), 0, run);
}
