import { inList, type Queries } from '../../../../../kernel/contracts/index.ts';
import type { RunLink } from '../../contract.ts';

const WAYS = [
  ['called', 'parent', 'runs', ''],
  ['rerun', 'rerun_of', 'runs', ''],
  // A rerun has the event of the first run, but that did not start it.
  ['started', 'trigger_event', 'events', 'AND rerun_of IS NULL'],
] as const;

/**
 * Runs that came of runs and events; an index on each of the three columns answers, and none that begins with the project may, as
 * SQLite would then read all of its runs. At most 128 of each.
 */
export async function readLinks(
  on: Pick<Queries, 'read'>,
  project_id: string,
  from: { runs: readonly string[]; events: readonly string[] },
  limit: number,
): Promise<RunLink[]> {
  const found: RunLink[] = [];
  for (const [how, column, kind, only] of WAYS) {
    if (from[kind].length === 0) continue;
    const list = inList(from[kind]);
    found.push(
      ...(await on.read<RunLink>(
        `SELECT run_id, ${column} AS origin, '${how}' AS how FROM runs_runs
         WHERE ${column} IN ${list.placeholders} AND COALESCE(project_id, '') = ? ${only} ORDER BY run_id LIMIT ${Math.trunc(limit)}`,
        [...list.params, project_id],
      )),
    );
  }
  return found;
}
