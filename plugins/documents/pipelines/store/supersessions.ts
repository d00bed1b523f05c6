import { afterRow, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';

/** A run that waits in a group and cancels the runs before it. */
export interface Supersession {
  run_id: string;
  activity_id: string;
  org_id: string;
  project_id: string;
  group_name: string;
  asked_at: number;
}

const COLUMNS = 'run_id, activity_id, org_id, project_id, group_name, asked_at';

export async function insertSupersession(tx: Transaction, supersession: Supersession): Promise<void> {
  const { run_id, activity_id, org_id, project_id, group_name, asked_at } = supersession;
  await tx.write(`INSERT INTO pipelines_supersessions (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`, [
    run_id,
    activity_id,
    org_id,
    project_id,
    group_name,
    asked_at,
  ]);
}

/** Lists supersessions after a given one, oldest first. */
export function dueSupersessions(
  on: Pick<Queries, 'read'>,
  after: Supersession | undefined,
  limit: number,
): Promise<Supersession[]> {
  const { condition, params } = afterRow(['asked_at', 'run_id', 'activity_id'], after);
  return on.read<Supersession>(
    `SELECT ${COLUMNS} FROM pipelines_supersessions WHERE ${condition}
     ORDER BY asked_at, run_id, activity_id LIMIT ${Math.trunc(limit)}`,
    params,
  );
}

export async function deleteSupersession(on: Pick<Queries, 'write'>, supersession: Supersession): Promise<void> {
  await on.write('DELETE FROM pipelines_supersessions WHERE run_id = ? AND activity_id = ?', [
    supersession.run_id,
    supersession.activity_id,
  ]);
}
