import { beyond, type Queries, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';

/** A project whose queue is to be worked on in a transaction of its own. */
export interface Refill extends ProjectScope {
  asked_at: number;
}

export async function askRefill(tx: Transaction, { org_id, project_id }: ProjectScope, now: number): Promise<void> {
  await tx.write(`${tx.sql.insert_ignore} handlers_refills (project_id, org_id, asked_at) VALUES (?, ?, ?)`, [
    ...[project_id, org_id, now],
  ]);
}

/** Those that have waited longest first: those after one. */
export function dueRefills(on: Pick<Queries, 'read'>, after: Refill | undefined, limit: number): Promise<Refill[]> {
  const { condition, params } = beyond(['asked_at', 'project_id'], after);
  return on.read<Refill>(
    `SELECT project_id, org_id, asked_at FROM handlers_refills WHERE ${condition}
     ORDER BY asked_at, project_id LIMIT ${Math.trunc(limit)}`,
    params,
  );
}

/** False when another server was first. */
export async function takeRefill(tx: Transaction, { project_id }: ProjectScope): Promise<boolean> {
  return (await tx.write('DELETE FROM handlers_refills WHERE project_id = ?', [project_id])) === 1;
}
