import type { Queries } from '../../../../../kernel/contracts/index.ts';
import type { ExecutorWork, OpenRun, QueuedWork } from '../../contract.ts';

/** Queues that one statement reads. */
const PAGE = 1000;
/** Queues whose runs are read. */
const MAX_QUEUES = 100;

type On = Pick<Queries, 'read'>;

interface Scope {
  org_id: string;
  project_id: string;
}

interface QueueRow {
  lane: string;
  requires: string;
}

/** Work of trusted runs that waits for an agent, among the first thousand queues of the executor. */
export async function queuedOf(
  on: On,
  { org_id, project_id }: Scope,
  { executor, wants }: ExecutorWork,
  { now, limit }: { now: number; limit: number },
): Promise<QueuedWork[]> {
  const rows = await on.read<QueueRow & { due: number | null }>(
    `SELECT lane, requires, (SELECT a.due FROM runs_activities a WHERE a.state = 'pending' AND a.lane = runs_lanes.lane
       AND a.project_id = ? ORDER BY a.due LIMIT 1) AS due
     FROM runs_lanes WHERE executor = ? AND untrusted = 0 AND lane > ? AND lane < ? ORDER BY lane LIMIT ${PAGE}`,
    [project_id, executor, ...rangeOf(org_id)],
  );
  const queued: QueuedWork[] = [];
  for (const { lane, requires: text, due } of rows) {
    const requires = JSON.parse(text) as string[];
    if (due === null || due > now || !wants(requires)) continue;
    if (queued.length === MAX_QUEUES) break;
    const waiting = await on.read<{ run_id: string }>(
      `SELECT run_id FROM runs_activities WHERE state = 'pending' AND lane = ? AND due <= ? AND project_id = ?
       ORDER BY due, activity_id LIMIT ${Math.trunc(limit)}`,
      [lane, now, project_id],
    );
    if (waiting.length > 0) queued.push({ requires, run_ids: waiting.map(({ run_id }) => run_id) });
  }
  return queued;
}

/** An open run of the org, in any project, with such work; undefined without one. */
export async function openRunWith(
  on: On,
  org_id: string,
  { executor, wants }: ExecutorWork,
): Promise<OpenRun | undefined> {
  const [first, last] = rangeOf(org_id);
  let after = first;
  for (;;) {
    const rows = await on.read<QueueRow>(
      `SELECT lane, requires FROM runs_lanes WHERE executor = ? AND untrusted = 0 AND lane > ? AND lane < ?
       ORDER BY lane LIMIT ${PAGE}`,
      [executor, after, last],
    );
    for (const { lane, requires } of rows) {
      if (!wants(JSON.parse(requires) as string[])) continue;
      for (const state of ['pending', 'parked', 'claimed']) {
        const [open] = await on.read<OpenRun>(
          `SELECT run_id, project_id FROM runs_activities WHERE state = '${state}' AND lane = ? LIMIT 1`,
          [lane],
        );
        if (open) return open;
      }
    }
    if (rows.length < PAGE) return undefined;
    after = rows.at(-1)!.lane;
  }
}

/** Names of queues begin with the org and a colon; `;` is the character after it. */
const rangeOf = (org_id: string): [string, string] => [`${org_id}:`, `${org_id};`];
