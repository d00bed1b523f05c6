import { afterRow, inList, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import { type Floor, raiseFloor } from './floors.ts';
import { OPEN_CONDITION } from './rows.ts';

/** A group, and whether nobody holds or waits for it. */
export interface GroupUse {
  project_id: string;
  group_key: string;
  idle: number;
}

/** Returns groups in the order of their keys, starting after one. */
export function readGroups(on: Pick<Queries, 'read'>, after: GroupUse | undefined, limit: number): Promise<GroupUse[]> {
  const { condition, params } = afterRow(['project_id', 'group_key'], after, 'g.');
  return on.read<GroupUse>(
    `SELECT g.project_id, g.group_key, NOT EXISTS (SELECT 1 FROM locks_tickets t
       WHERE t.project_id = g.project_id AND t.group_key = g.group_key AND t.${OPEN_CONDITION}) AS idle
     FROM locks_groups g WHERE ${condition} ORDER BY g.project_id, g.group_key LIMIT ${Math.trunc(limit)}`,
    params,
  );
}

/**
 * Removes groups of a project that are still idle, and returns how many. Raises the project's floor to their highest
 * fence, so that the next group of the same name continues above it. Groups that somebody has locked stay.
 */
export async function removeIdle(tx: Transaction, project_id: string, group_keys: readonly string[]): Promise<number> {
  const group_list = inList(group_keys);
  const locked = await tx.lock<Floor & { group_key: string }>({
    table: 'locks_groups',
    key: ['project_id', 'group_key'],
    columns: 'group_key, fence, last_ticket',
    where: `project_id = ? AND group_key IN ${group_list.placeholders}`,
    params: [project_id, ...group_list.params],
    skip_locked: true,
  });
  const used = await tx.read<{ group_key: string }>(
    `SELECT DISTINCT group_key FROM locks_tickets WHERE project_id = ? AND group_key IN ${group_list.placeholders} AND ${OPEN_CONDITION}`,
    [project_id, ...group_list.params],
  );
  const idle = locked.filter((group) => !used.some(({ group_key }) => group_key === group.group_key));
  if (idle.length === 0) return 0;
  await raiseFloor(tx, project_id, {
    fence: Math.max(...idle.map(({ fence }) => fence)),
    last_ticket: Math.max(...idle.map(({ last_ticket }) => last_ticket)),
  });
  const list = inList(idle.map(({ group_key }) => group_key));
  const removed = await tx.write(
    `DELETE FROM locks_groups WHERE project_id = ? AND group_key IN ${list.placeholders}`,
    [project_id, ...list.params],
  );
  if (removed !== idle.length) throw new Error(`${removed} groups were removed instead of ${idle.length}`);
  tx.skipConflictGuard(
    'locks_groups',
    idle.map(({ group_key }) => [project_id, group_key]),
  );
  return removed;
}
