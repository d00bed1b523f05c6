import type { Sealer } from '../../../../../kernel/contracts/index.ts';
import type { ActivityScope, SearchableRun } from '../../contract.ts';
import type { Reader } from '../rows/context.ts';
import { credentialNames, MODERATE_OUTPUT, type ViewedRun } from '../rows/runs.ts';
import { openResult } from '../rows/sealing.ts';

/** A run with more activities is found by the names of these. */
const MAX_ACTIVITIES = 500;

/** Reads what a search finds a run by. The org's keys must be ready. */
export async function readSearchable(
  on: Pick<Reader, 'read'>,
  sealer: Sealer,
  run: ActivityScope,
): Promise<SearchableRun | undefined> {
  const [row] = await on.read<Pick<ViewedRun, 'status' | 'credentials' | 'output'>>(
    `SELECT status, credentials, ${MODERATE_OUTPUT} FROM runs_runs WHERE run_id = ?`,
    [run.run_id],
  );
  if (row === undefined) return undefined;
  const activities = await on.read<{ name: string }>(
    `SELECT name FROM runs_activities WHERE run_id = ? LIMIT ${MAX_ACTIVITIES}`,
    [run.run_id],
  );
  return {
    output:
      row.status === 'succeeded' && row.output !== null ? openResult(sealer, run, row.output).output_json : undefined,
    credentials: credentialNames(row.credentials),
    activities: activities.map(({ name }) => name),
  };
}
