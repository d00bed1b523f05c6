import type { Database, Ids } from '../../../../kernel/contracts/index.ts';

const ROW_KEY = 'here';

/** Returns the name of this database. The first server creates it, and it is the same for all. */
export async function ensureDeployment(
  database: Pick<Database, 'read' | 'write' | 'sql' | 'now'>,
  ids: Ids,
): Promise<string> {
  await database.write(`${database.sql.insert_ignore} wake_deployments (place, deployment, made_at) VALUES (?, ?, ?)`, [
    ROW_KEY,
    ids.bytes(16).toString('hex'),
    database.now(),
  ]);
  const [row] = await database.read<{ deployment: string }>('SELECT deployment FROM wake_deployments WHERE place = ?', [
    ROW_KEY,
  ]);
  return row!.deployment;
}
