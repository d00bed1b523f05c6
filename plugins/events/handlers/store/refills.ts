import { afterRow, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';

/** A project whose queue needs a transaction of its own. */
export interface Refill extends ProjectScope {
  asked_at: number;
}

export async function insertRefill(tx: Transaction, { org_id, project_id }: ProjectScope, now: number): Promise<void> {
  await tx.write(`${tx.sql.insert_ignore} handlers_refills (project_id, org_id, asked_at) VALUES (?, ?, ?)`, [
    project_id,
    org_id,
    now,
  ]);
}

/** Returns refills in the order of their age, starting after one. */
export function listRefills(on: Pick<Queries, 'read'>, after: Refill | undefined, limit: number): Promise<Refill[]> {
  const { condition, params } = afterRow(['asked_at', 'project_id'], after);
  return on.read<Refill>(
    `SELECT project_id, org_id, asked_at FROM handlers_refills WHERE ${condition}
     ORDER BY asked_at, project_id LIMIT ${Math.trunc(limit)}`,
    params,
  );
}

/** Returns false when another server was first. */
export async function claimRefill(tx: Transaction, { project_id }: ProjectScope): Promise<boolean> {
  return (await tx.write('DELETE FROM handlers_refills WHERE project_id = ?', [project_id])) === 1;
}
