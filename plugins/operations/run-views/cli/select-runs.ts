import { type Client, readAll, type FlagValues, usageError } from '../../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import { FILTER_FLAGS } from './filter-flags.ts';

type Status = RunView['status'];

export interface RunSelection {
  /** Statuses that the command is for. */
  statuses: readonly Status[];
  /** Those that are meant when none is given. */
  usual: readonly Status[];
  /** True for a command that is only for paused runs. */
  paused?: true;
}

/** The runs that the flags select, the newest first. Throws a usage error when they select by nothing. */
export async function selectRuns(
  api: Client,
  flags: FlagValues,
  { statuses, usual, paused }: RunSelection,
): Promise<RunView[]> {
  const given = flags.status as readonly Status[];
  const wrong = given.find((status) => !statuses.includes(status));
  if (wrong !== undefined)
    throw usageError(`--status ${wrong} does not apply to this command`, `it takes ${statuses.join(', ')}`);
  // Every filter must reach the server: a forgotten one would select runs that the user has excluded.
  const names = Object.keys(FILTER_FLAGS).filter((name) => name !== 'status');
  const filterValue = (name: string) => {
    const value = flags[name];
    return typeof value === 'boolean' ? (value ? 'true' : undefined) : (value as string | undefined);
  };
  const by = Object.fromEntries(names.map((name) => [name, filterValue(name)]));
  const selects = given.length > 0 || Object.values(by).some((value) => value !== undefined);
  if (!selects && flags.all !== true)
    throw usageError('no runs are selected', 'set a filter, for example --workflow or --since, or use --all');
  // Pages go from the newest to the oldest: what is made from now on, which nobody has seen, is on none of them.
  const filter = { ...by, ...(paused && { paused: 'true' }), status: (given.length > 0 ? given : usual).join(',') };
  const runs = await readAll<RunView>(api, api.scoped('/runs'), 'runs', filter);
  return flags.limit === undefined ? runs : runs.slice(0, Number(flags.limit));
}
