import { chunks, inKeys, type Queries } from '../../../../../kernel/contracts/index.ts';
import type { CalledRun, StepPosition } from '../../contract.ts';

/** The runs that calls at these positions have created. Those that were pruned are left out. Plugin children writes the table. */
export async function readCalledRuns(
  on: Pick<Queries, 'read'>,
  run_id: string,
  calls: readonly StepPosition[],
): Promise<CalledRun[]> {
  const found: CalledRun[] = [];
  for (const chunk of chunks(calls)) {
    const { condition, params } = inKeys(
      ['c.run_id', 'c.activity_id', 'c.position'],
      chunk.map(({ activity_id, position }) => ({
        'c.run_id': run_id,
        'c.activity_id': activity_id,
        'c.position': position,
      })),
    );
    const rows = await on.read<CalledRun>(
      `SELECT c.called_id, c.activity_id, c.position, r.status FROM runs_calls c
       JOIN runs_runs r ON r.run_id = c.called_id WHERE ${condition}`,
      params,
    );
    found.push(...rows);
  }
  return found;
}
