import { type Database, distinct, inList } from '../../../../../kernel/contracts/index.ts';
import type { WaitRef } from '../../contract.ts';

export interface DueWait extends WaitRef {
  org_id: string;
  project_id: string;
}

const INDEX = 'runs_waits_due';

/**
 * Finds waits whose deadline has passed: up to `most`, the oldest first. If there are more, the result begins with some of other
 * orgs, of other projects and of other runs, which would otherwise wait behind all that are due in one of them.
 */
export async function findDueWaits(on: Pick<Database, 'read' | 'sql' | 'now'>, most: number): Promise<DueWait[]> {
  const from = `runs_waits ${on.sql.family === 'mysql' ? `FORCE INDEX (${INDEX})` : `INDEXED BY ${INDEX}`}`;
  const now = on.now();
  const read = (limit: number, condition = '', params: readonly string[] = []) =>
    on.read<DueWait>(
      `SELECT run_id, activity_id, position, org_id, project_id FROM ${from} WHERE state = 'armed' AND deadline <= ?
       ${condition} ORDER BY deadline LIMIT ${Math.trunc(limit)}`,
      [now, ...params],
    );
  const oldest = await read(most);
  if (oldest.length < most) return oldest;
  const waits = new Map<string, DueWait>();
  for (const column of ['org_id', 'project_id', 'run_id'] as const) {
    const list = inList(distinct(oldest, (wait) => wait[column]));
    const others = await read(Math.ceil(most / 4), `AND ${column} NOT IN ${list.placeholders}`, list.params);
    for (const wait of others) waits.set(keyOf(wait), wait);
  }
  for (const wait of oldest) waits.set(keyOf(wait), wait);
  return [...waits.values()].slice(0, most);
}

const keyOf = ({ run_id, activity_id, position }: WaitRef): string => `${run_id} ${activity_id} ${position}`;
