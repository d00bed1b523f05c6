import type { Queries, Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';

export interface OpenRun {
  run_id: string;
  name: string;
  event_id: string;
}

const IN_ONE = 200;

/** Unfinished handler runs of a project. The number stays valid only while the project's bus is locked. */
export async function countOpen(on: Pick<Queries, 'read'>, { project_id }: ProjectScope): Promise<number> {
  const [row] = await on.read<{ n: number }>('SELECT COUNT(*) AS n FROM handlers_runs WHERE project_id = ?', [
    project_id,
  ]);
  return Number(row!.n);
}

export async function openRuns(
  tx: Transaction,
  { org_id, project_id }: ProjectScope,
  runs: readonly OpenRun[],
  now: number,
): Promise<void> {
  if (runs.length === 0) return;
  await tx.write(
    `INSERT INTO handlers_runs (run_id, project_id, org_id, name, event_id, started_at)
     VALUES ${runs.map(() => '(?, ?, ?, ?, ?, ?)').join(', ')}`,
    runs.flatMap(({ run_id, name, event_id }) => [run_id, project_id, org_id, name, event_id, now]),
  );
}

/** Marks these runs as ended. */
export async function closeRuns(tx: Transaction, project_id: string, run_ids: readonly string[]): Promise<void> {
  for (let at = 0; at < run_ids.length; at += IN_ONE) {
    const some = run_ids.slice(at, at + IN_ONE);
    await tx.write(`DELETE FROM handlers_runs WHERE project_id = ? AND run_id IN (${some.map(() => '?').join(', ')})`, [
      project_id,
      ...some,
    ]);
  }
}
