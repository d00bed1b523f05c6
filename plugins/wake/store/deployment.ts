import type { Database, Ids } from '../../../kernel/contracts/index.ts';

const PLACE = 'here';

/** Identifies this database: created by the first server that asks, the same for all. */
export async function deploymentOf(
  database: Pick<Database, 'read' | 'write' | 'sql' | 'now'>,
  ids: Ids,
): Promise<string> {
  await database.write(`${database.sql.insert_ignore} wake_deployments (place, deployment, made_at) VALUES (?, ?, ?)`, [
    PLACE,
    ids.bytes(16).toString('hex'),
    database.now(),
  ]);
  const [row] = await database.read<{ deployment: string }>('SELECT deployment FROM wake_deployments WHERE place = ?', [
    PLACE,
  ]);
  return row!.deployment;
}
