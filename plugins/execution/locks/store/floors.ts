import type { Queries, Transaction } from '../../../../kernel/contracts/index.ts';

/** The numbers above which a new group of a project begins. */
export interface Floor {
  fence: number;
  last_ticket: number;
}

/** Returns undefined if no group of the project was ever removed. */
export async function readFloor(
  on: Pick<Queries, 'read'>,
  { project_id }: { project_id: string },
): Promise<Floor | undefined> {
  const [floor] = await on.read<Floor>('SELECT fence, last_ticket FROM locks_floors WHERE project_id = ?', [
    project_id,
  ]);
  return floor;
}

/** Raises the floor. It never falls, whatever raises it at the same time. */
export async function raiseFloor(tx: Transaction, project_id: string, { fence, last_ticket }: Floor): Promise<void> {
  const raise = () =>
    tx.write(
      `UPDATE locks_floors SET fence = CASE WHEN fence < ? THEN ? ELSE fence END,
       last_ticket = CASE WHEN last_ticket < ? THEN ? ELSE last_ticket END WHERE project_id = ?`,
      [fence, fence, last_ticket, last_ticket, project_id],
    );
  if ((await raise()) === 1) return;
  await tx.write(`${tx.sql.insert_ignore} locks_floors (project_id, fence, last_ticket) VALUES (?, 0, 0)`, [
    project_id,
  ]);
  if ((await raise()) !== 1) throw new Error(`the project ${project_id} has no floor of fences`);
}
