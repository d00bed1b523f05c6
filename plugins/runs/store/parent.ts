import { Errors, type Queries } from '../../../kernel/contracts/index.ts';
import type { NewRun } from '../contract.ts';
import type { RunRow } from './run-columns.ts';

/** What a run that is made has of its parent: neither ever changes, so they are read before. Undefined without a parent. */
export async function parentOf(
  on: Pick<Queries, 'read'>,
  { parent, project_id }: Pick<NewRun, 'parent' | 'project_id'>,
): Promise<Pick<RunRow, 'run_id' | 'trusted' | 'trace'> | undefined> {
  if (parent === undefined) return undefined;
  const [row] = await on.read<Pick<RunRow, 'run_id' | 'trusted' | 'trace'>>(
    'SELECT run_id, trusted, trace FROM runs_runs WHERE run_id = ? AND project_id = ?',
    [parent, project_id],
  );
  if (!row) throw Errors.notFound(`there is no run ${parent} to be the parent`);
  return row;
}
