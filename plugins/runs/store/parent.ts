import { Errors, type Queries } from '../../../kernel/contracts/index.ts';
import type { NewRun } from '../contract.ts';
import type { RunRow } from './run-columns.ts';

const COLUMNS = ['run_id', 'trusted', 'trace', 'created_at', 'timeout_ms'] as const;

/** What a run that is made has of its parent. */
export type Parent = Pick<RunRow, (typeof COLUMNS)[number]>;

/** Nothing of it ever changes, so it is read before. Undefined without a parent. */
export async function parentOf(
  on: Pick<Queries, 'read'>,
  { parent, project_id }: Pick<NewRun, 'parent' | 'project_id'>,
): Promise<Parent | undefined> {
  if (parent === undefined) return undefined;
  const [row] = await on.read<Parent>(
    `SELECT ${COLUMNS.join(', ')} FROM runs_runs WHERE run_id = ? AND project_id = ?`,
    [parent, project_id],
  );
  if (!row) throw Errors.notFound(`there is no run ${parent} to be the parent`);
  return row;
}
