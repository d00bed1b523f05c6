import { beyond, inList, type Queries, type Transaction } from '../../../kernel/contracts/index.ts';
import { type Floor, raiseFloor } from './floors.ts';
import { OPEN } from './rows.ts';

/** A group, and whether nobody holds or waits for it. */
export interface GroupUse {
  project_id: string;
  group_key: string;
  idle: number;
}

/** In the order of their keys: those after one. */
export function readGroups(on: Pick<Queries, 'read'>, after: GroupUse | undefined, limit: number): Promise<GroupUse[]> {
  const { condition, params } = beyond(['project_id', 'group_key'], after, 'g.');
  return on.read<GroupUse>(
    `SELECT g.project_id, g.group_key, NOT EXISTS (SELECT 1 FROM locks_tickets t
       WHERE t.project_id = g.project_id AND t.group_key = g.group_key AND t.${OPEN}) AS idle
     FROM locks_groups g WHERE ${condition} ORDER BY g.project_id, g.group_key LIMIT ${Math.trunc(limit)}`,
    params,
  );
}

/**
 * Removes groups of a project that are still idle, and raises its floor to their highest fence, so that the next group of
 * the same name goes on above it. Groups that somebody has locked stay. Answers how many went.
 */
export async function removeIdle(tx: Transaction, project_id: string, group_keys: readonly string[]): Promise<number> {
  const wanted = inList(group_keys);
  const locked = await tx.lock<Floor & { group_key: string }>({
    table: 'locks_groups',
    key: ['project_id', 'group_key'],
    columns: 'group_key, fence, last_ticket',
    where: `project_id = ? AND group_key IN ${wanted.marks}`,
    params: [project_id, ...wanted.params],
    skip: true,
  });
  const used = await tx.read<{ group_key: string }>(
    `SELECT DISTINCT group_key FROM locks_tickets WHERE project_id = ? AND group_key IN ${wanted.marks} AND ${OPEN}`,
    [project_id, ...wanted.params],
  );
  const idle = locked.filter((group) => !used.some(({ group_key }) => group_key === group.group_key));
  if (idle.length === 0) return 0;
  await raiseFloor(tx, project_id, {
    fence: Math.max(...idle.map(({ fence }) => fence)),
    last_ticket: Math.max(...idle.map(({ last_ticket }) => last_ticket)),
  });
  const list = inList(idle.map(({ group_key }) => group_key));
  const removed = await tx.write(`DELETE FROM locks_groups WHERE project_id = ? AND group_key IN ${list.marks}`, [
    project_id,
    ...list.params,
  ]);
  if (removed !== idle.length) throw new Error(`${removed} groups were removed instead of ${idle.length}`);
  tx.settled(
    'locks_groups',
    idle.map(({ group_key }) => [project_id, group_key]),
  );
  return removed;
}
