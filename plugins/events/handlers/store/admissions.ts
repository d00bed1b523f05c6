import {
  chunks,
  failpoint,
  inKeys,
  inList,
  type Queries,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { Capacity } from '../domain/capacity.ts';
import type { QueuedDelivery } from './queue.ts';

/** More than any limit. */
const BLOCKED = 1000;
/** Groups that one transaction admits deliveries of, and deliveries of each; more are left to the refiller. */
const MAX_GROUPS = 32;
const MAX_ADMITTED = 32;

/** The places of a group that are taken, as a trusted and as an untrusted delivery finds them. */
export interface UsedConcurrency {
  trusted: number;
  untrusted: number;
}

/**
 * Returns how many places of each group are taken, by runs in flight, queued deliveries and retries that wait for a place;
 * groups without any are left out. Where a delivery is blocked there is no place for a later one, which would overtake it; a trusted delivery overtakes
 * untrusted ones.
 */
export async function countAdmitted(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  admissions: readonly string[],
): Promise<Map<string, UsedConcurrency>> {
  const counts = new Map<string, UsedConcurrency>();
  for (const chunk of chunks(admissions)) {
    const list = inList(chunk);
    const rows = await on.read<{ admission: string; n: number; overtaken: number }>(
      `SELECT admission, COUNT(*) AS n, 0 AS overtaken FROM handlers_runs
       WHERE project_id = ? AND waiting IS NULL AND admission IN ${list.placeholders} GROUP BY admission
       UNION ALL SELECT admission, SUM(CASE WHEN blocked IS NULL THEN 1 WHEN trusted = 1 THEN ${BLOCKED} ELSE 0 END) AS n,
         SUM(CASE WHEN blocked = 1 AND trusted = 0 THEN ${BLOCKED} ELSE 0 END) AS overtaken FROM handlers_queue
       WHERE project_id = ? AND admission IN ${list.placeholders} GROUP BY admission
       UNION ALL SELECT admission, COUNT(*) - COUNT(untrusted) AS n, COUNT(untrusted) AS overtaken FROM handlers_retries
       WHERE project_id = ? AND waiting = 1 AND admission IN ${list.placeholders} GROUP BY admission`,
      [project_id, ...list.params, project_id, ...list.params, project_id, ...list.params],
    );
    for (const { admission, n, overtaken } of rows) {
      const { trusted, untrusted } = counts.get(admission) ?? { trusted: 0, untrusted: 0 };
      counts.set(admission, {
        trusted: trusted + Number(n),
        untrusted: untrusted + Number(n) + Number(overtaken),
      });
    }
  }
  return counts;
}

/**
 * Whether a retry finds no place of its group. Blocked deliveries leave their places to it, or a backlog would hold it back
 * forever; a trusted retry comes before untrusted ones.
 */
export async function isGroupFull(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  { admission, trusted }: { admission: string; trusted: boolean },
  limit: number,
): Promise<boolean> {
  const [row] = await on.read<{ n: number; retries: number }>(
    `SELECT (SELECT COUNT(*) FROM handlers_runs WHERE project_id = ? AND waiting IS NULL AND admission = ?)
       + (SELECT COUNT(*) FROM handlers_queue WHERE project_id = ? AND blocked IS NULL AND admission = ?) AS n,
       (SELECT COUNT(*) FROM handlers_retries
         WHERE project_id = ? AND waiting = 1 AND admission = ? AND untrusted IS NULL) AS retries`,
    [project_id, admission, project_id, admission, project_id, admission],
  );
  return Number(row!.n) + (trusted ? 0 : Number(row!.retries)) >= limit;
}

/** What may be admitted: untrusted deliveries only if they could start. */
const blockedBy = ({ untrusted }: Pick<Capacity, 'untrusted'>): string =>
  untrusted > 0 ? 'blocked = 1' : 'blocked = 1 AND trusted = 1';

/**
 * Returns groups with blocked deliveries and places that are free and that no retry waits for; untrusted retries leave theirs to
 * trusted deliveries. Groups with trusted deliveries come first, and then the one that has waited longest.
 */
export function listAdmissible(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  capacity: Pick<Capacity, 'untrusted'>,
  limit = MAX_GROUPS,
): Promise<{ admission: string; free: number }[]> {
  return on.read<{ admission: string; free: number }>(
    `SELECT admission, free FROM (SELECT b.admission AS admission, b.trusted AS trusted, b.first_sort AS first_sort,
       b.max_runs - COALESCE(r.n, 0) - COALESCE(q.n, 0) - CASE WHEN b.trusted = 1 THEN COALESCE(t.trusted, 0)
         ELSE COALESCE(t.n, 0) END AS free
     FROM (SELECT admission, MAX(max_runs) AS max_runs, MAX(trusted) AS trusted, MIN(sort_at) AS first_sort
       FROM handlers_queue WHERE project_id = ? AND ${blockedBy(capacity)} GROUP BY admission) b
     LEFT JOIN (SELECT admission, COUNT(*) AS n FROM handlers_runs
       WHERE project_id = ? AND waiting IS NULL AND admission IS NOT NULL GROUP BY admission) r ON r.admission = b.admission
     LEFT JOIN (SELECT admission, COUNT(*) AS n FROM handlers_queue
       WHERE project_id = ? AND blocked IS NULL AND admission IS NOT NULL GROUP BY admission) q ON q.admission = b.admission
     LEFT JOIN (SELECT admission, COUNT(*) AS n, COUNT(*) - COUNT(untrusted) AS trusted FROM handlers_retries
       WHERE project_id = ? AND waiting = 1 GROUP BY admission) t ON t.admission = b.admission) admissible
     WHERE free > 0 ORDER BY trusted DESC, first_sort LIMIT ${Math.trunc(limit)}`,
    [project_id, project_id, project_id, project_id],
  );
}

/**
 * Lets blocked deliveries whose group has a free place wait for a slot of the project instead: trusted ones first, in order of
 * arrival. The project's bus is locked. Returns whether more may have free places, and the untrusted deliveries among them, which
 * block their places again if they do not start (`restoreBlocked`).
 */
export async function admitBlocked(
  tx: Transaction,
  scope: ProjectScope,
  capacity: Pick<Capacity, 'untrusted'>,
): Promise<{ has_more: boolean; untrusted: Pick<QueuedDelivery, 'event_seq' | 'name'>[] }> {
  const groups = await listAdmissible(tx, scope, capacity);
  const untrusted: Pick<QueuedDelivery, 'event_seq' | 'name'>[] = [];
  let has_more = groups.length === MAX_GROUPS;
  for (const { admission, free } of groups) {
    const rows = await tx.read<{ event_seq: number; name: string; trusted: number }>(
      `SELECT event_seq, name, trusted FROM handlers_queue
       WHERE project_id = ? AND ${blockedBy(capacity)} AND admission = ?
       ORDER BY trusted DESC, sort_at, event_seq LIMIT ${Math.min(Math.trunc(Number(free)), MAX_ADMITTED)}`,
      [scope.project_id, admission],
    );
    has_more ||= rows.length === MAX_ADMITTED && Number(free) > MAX_ADMITTED;
    const first = rows.map(({ event_seq, name }) => ({ event_seq: Number(event_seq), name }));
    untrusted.push(...first.filter((_, at) => rows[at]!.trusted === 0));
    const { condition, params } = inKeys(['event_seq', 'name'], first);
    await tx.write(`UPDATE handlers_queue SET blocked = NULL WHERE project_id = ? AND ${condition}`, [
      scope.project_id,
      ...params,
    ]);
    failpoint('handlers.admitted');
  }
  return { has_more, untrusted };
}

/** Lets admitted deliveries that have found no slot wait for a place again, so that they keep it from no trusted one. */
export async function restoreBlocked(
  tx: Transaction,
  { project_id }: ProjectScope,
  deliveries: readonly Pick<QueuedDelivery, 'event_seq' | 'name'>[],
): Promise<void> {
  for (const chunk of chunks(deliveries)) {
    const { condition, params } = inKeys(['event_seq', 'name'], chunk);
    await tx.write(
      `UPDATE handlers_queue SET blocked = 1 WHERE project_id = ? AND ${condition}
       AND blocked IS NULL AND admission IS NOT NULL`,
      [project_id, ...params],
    );
  }
}

/** Applies another limit to the deliveries of a handler that are blocked. Returns how many there are. */
export const changeMaxRuns = (tx: Transaction, { project_id }: ProjectScope, name: string, max_runs: number) =>
  tx.write('UPDATE handlers_queue SET max_runs = ? WHERE project_id = ? AND name = ? AND blocked = 1', [
    max_runs,
    project_id,
    name,
  ]);
