export const STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const;

/** What the address of the page says; every link to it is a filter that can be sent to others. */
export interface RunFilters {
  /** Statuses, separated by commas. */
  status?: string;
  workflow?: string;
  tag?: string;
  subject?: string;
  /** `push`, `manual`, `handler:<name>`, `schedule:<name>`, `event:<id>`, `run:<id>`. */
  trigger?: string;
  /** `2h`, or a time. */
  since?: string;
  until?: string;
}

const NAMES = ['status', 'workflow', 'tag', 'subject', 'trigger', 'since', 'until'] as const;

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

/** The command with the same answer, or the one that does something to all that the filters select. */
export function commandOf(
  filters: RunFilters,
  quote: (text: string) => string,
  verb: 'ls' | 'cancel' | 'rerun' = 'ls',
): string {
  const flags = NAMES.flatMap((name) => {
    const value = filters[name];
    return value === undefined ? [] : [`--${name} ${quote(value)}`];
  });
  const every = verb !== 'ls' && flags.length === 0 ? ['--all'] : [];
  return [`svc runs ${verb}`, ...flags, ...every].join(' ');
}

/** What lists know of a run. */
export interface ListedRun {
  run_id: string;
  status: string;
  workflow: string;
  tags: readonly string[];
  subject?: string | undefined;
  parent?: string | undefined;
  trigger: { type: string; [field: string]: unknown };
}

/** `handler:<name>` or `schedule:<name>`, when one of them started the run. */
export function starterOf(trigger: ListedRun['trigger']): string | undefined {
  const kind = (['handler', 'schedule'] as const).find((one) => typeof trigger[one] === 'string');
  return kind && `${kind}:${String(trigger[kind])}`;
}

/** As the server reads it. */
function startedBy({ trigger, parent }: ListedRun, filter: string): boolean {
  const colon = filter.indexOf(':');
  if (colon < 0) return trigger.type === filter;
  const [kind, name] = [filter.slice(0, colon), filter.slice(colon + 1)];
  if (kind === 'run') return parent === name;
  return ['handler', 'schedule', 'event'].includes(kind) && trigger[kind] === name;
}

/** Does a run that changed belong into a list with these filters? Times are for the server to judge. */
export function fits(run: ListedRun, filters: RunFilters): boolean {
  const statuses = chosenStatuses(filters);
  return (
    (statuses.length === 0 || statuses.includes(run.status)) &&
    (filters.workflow === undefined || filters.workflow === run.workflow) &&
    (filters.tag === undefined || run.tags.includes(filters.tag)) &&
    (filters.subject === undefined || run.subject === filters.subject) &&
    (filters.trigger === undefined || startedBy(run, filters.trigger))
  );
}

/** The list with a run as it is now: in its place, at the top when it is new, gone when it fits no longer. */
export function patched<R extends ListedRun>(list: readonly R[], run: R, filters: RunFilters): readonly R[] {
  const at = list.findIndex(({ run_id }) => run_id === run.run_id);
  if (!fits(run, filters)) return at < 0 ? list : list.toSpliced(at, 1);
  if (at >= 0) return list.with(at, run);
  // One that is new was made after any `until`.
  if (filters.until !== undefined) return list;
  // Ids are ordered by time. One that is older than all that is shown belongs to a page that is not read yet.
  const place = list.findIndex(({ run_id }) => run_id < run.run_id);
  return place < 0 && list.length > 0 ? list : list.toSpliced(Math.max(0, place), 0, run);
}
