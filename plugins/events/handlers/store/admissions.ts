import {
  chunks,
  failpoint,
  inKeys,
  inList,
  type Queries,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';

/** More than any limit. */
const BLOCKED = 1000;
/** Groups that one transaction admits deliveries of, and deliveries of each; more are left to the refiller. */
const MAX_GROUPS = 32;
const MAX_ADMITTED = 32;

/**
 * Returns how many places of each group are taken, by runs in flight and queued deliveries; groups without any are left
 * out. Where a delivery is blocked there is no place for a later one, which would overtake it.
 */
export async function countAdmitted(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  admissions: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const chunk of chunks(admissions)) {
    const list = inList(chunk);
    const rows = await on.read<{ admission: string; n: number }>(
      `SELECT admission, COUNT(*) AS n FROM handlers_runs
       WHERE project_id = ? AND waiting IS NULL AND admission IN ${list.placeholders} GROUP BY admission
       UNION ALL SELECT admission, SUM(CASE WHEN blocked = 1 THEN ${BLOCKED} ELSE 1 END) AS n FROM handlers_queue
       WHERE project_id = ? AND admission IN ${list.placeholders} GROUP BY admission`,
      [project_id, ...list.params, project_id, ...list.params],
    );
    for (const { admission, n } of rows) counts.set(admission, (counts.get(admission) ?? 0) + Number(n));
  }
  return counts;
}

/** Returns groups with blocked deliveries and free places, the one that has waited longest first. */
export function listAdmissible(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  limit = MAX_GROUPS,
): Promise<{ admission: string; free: number }[]> {
  return on.read<{ admission: string; free: number }>(
    `SELECT b.admission AS admission, b.max_runs - COALESCE(r.n, 0) - COALESCE(q.n, 0) AS free
     FROM (SELECT admission, MAX(max_runs) AS max_runs, MIN(sort_at) AS first_sort FROM handlers_queue
       WHERE project_id = ? AND blocked = 1 GROUP BY admission) b
     LEFT JOIN (SELECT admission, COUNT(*) AS n FROM handlers_runs
       WHERE project_id = ? AND waiting IS NULL AND admission IS NOT NULL GROUP BY admission) r ON r.admission = b.admission
     LEFT JOIN (SELECT admission, COUNT(*) AS n FROM handlers_queue
       WHERE project_id = ? AND blocked IS NULL AND admission IS NOT NULL GROUP BY admission) q ON q.admission = b.admission
     WHERE b.max_runs > COALESCE(r.n, 0) + COALESCE(q.n, 0) ORDER BY b.first_sort LIMIT ${Math.trunc(limit)}`,
    [project_id, project_id, project_id],
  );
}

/**
 * Lets blocked deliveries whose group has a free place wait for a slot of the project instead, in order of arrival.
 * The project's bus is locked. Returns whether more may have free places.
 */
export async function admitBlocked(tx: Transaction, scope: ProjectScope): Promise<boolean> {
  const groups = await listAdmissible(tx, scope);
  let has_more = groups.length === MAX_GROUPS;
  for (const { admission, free } of groups) {
    const first = await tx.read<{ event_seq: number; name: string }>(
      `SELECT event_seq, name FROM handlers_queue WHERE project_id = ? AND blocked = 1 AND admission = ?
       ORDER BY sort_at, event_seq LIMIT ${Math.min(Math.trunc(Number(free)), MAX_ADMITTED)}`,
      [scope.project_id, admission],
    );
    has_more ||= first.length === MAX_ADMITTED && Number(free) > MAX_ADMITTED;
    const { condition, params } = inKeys(
      ['event_seq', 'name'],
      first.map(({ event_seq, name }) => ({ event_seq: Number(event_seq), name })),
    );
    await tx.write(`UPDATE handlers_queue SET blocked = NULL WHERE project_id = ? AND ${condition}`, [
      scope.project_id,
      ...params,
    ]);
    failpoint('handlers.admitted');
  }
  return has_more;
}

/** Applies another limit to the deliveries of a handler that are blocked. Returns how many there are. */
export const changeMaxRuns = (tx: Transaction, { project_id }: ProjectScope, name: string, max_runs: number) =>
  tx.write('UPDATE handlers_queue SET max_runs = ? WHERE project_id = ? AND name = ? AND blocked = 1', [
    max_runs,
    project_id,
    name,
  ]);
