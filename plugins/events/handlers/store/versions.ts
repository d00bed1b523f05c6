import type { Queries, Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';

/** Returns how often a project's handlers changed; 0 if it never had any. */
export async function readVersion(on: Pick<Queries, 'read'>, { project_id }: ProjectScope): Promise<number> {
  const [row] = await on.read<{ version: number }>('SELECT version FROM handlers_versions WHERE project_id = ?', [
    project_id,
  ]);
  return Number(row?.version ?? 0);
}

/** The project's bus must be locked. */
export async function incrementVersion(tx: Transaction, { org_id, project_id }: ProjectScope): Promise<void> {
  const raised = await tx.write('UPDATE handlers_versions SET version = version + 1 WHERE project_id = ?', [
    project_id,
  ]);
  if (raised === 1) return;
  await tx.write('INSERT INTO handlers_versions (project_id, org_id, version) VALUES (?, ?, 1)', [project_id, org_id]);
}
