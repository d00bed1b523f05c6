import { chunks, inList, type Queries } from '../../../../../kernel/contracts/index.ts';
import { textKey } from '../rows/sealing.ts';
import type { RunStatus, RunVersions, SubstateKind, TaggedRun } from '../../contract.ts';

type On = Pick<Queries, 'read'>;

/** The newest runs of a status; the index on statuses alone answers. */
export const newestOf = (
  on: On,
  project_id: string,
  status: RunStatus,
  limit: number,
): Promise<{ run_id: string; status: RunStatus }[]> =>
  on.read(
    `SELECT run_id, status FROM runs_runs WHERE project_id = ? AND status = ?
     ORDER BY run_id DESC LIMIT ${Math.trunc(limit)}`,
    [project_id, status],
  );

/** How many runs have the status, counted up to `limit`. */
export async function countOf(on: On, project_id: string, status: RunStatus, limit: number): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (
       SELECT run_id FROM runs_runs WHERE project_id = ? AND status = ? LIMIT ${Math.trunc(limit)}
     ) counted`,
    [project_id, status],
  );
  return Number(row!.n);
}

/** Of the newest runs with a tag, those that began or ended at `since` or later; the index on tags finds them. */
export async function taggedSince(
  on: On,
  project_id: string,
  tag: string,
  since: number,
  limit: number,
): Promise<TaggedRun[]> {
  const rows = await on.read<{ status: RunStatus; started_at: number | null; finished_at: number | null }>(
    `SELECT r.status, r.started_at, r.finished_at FROM (
       SELECT run_id FROM runs_tags WHERE project_id = ? AND tag_key = ? ORDER BY run_id DESC LIMIT ${Math.trunc(limit)}
     ) t JOIN runs_runs r ON r.run_id = t.run_id WHERE r.started_at >= ? OR r.finished_at >= ?`,
    [project_id, textKey('tag', tag), since, since],
  );
  const numberOf = (at: number | null) => (at === null ? null : Number(at));
  return rows.map(({ status, started_at, finished_at }) => ({
    status,
    started_at: numberOf(started_at),
    finished_at: numberOf(finished_at),
  }));
}

export interface ArmedRow {
  run_id: string;
  workflow: string;
  substate: SubstateKind;
  name: string;
  armed_at: number;
  deadline: number | null;
}

/** The armed waits of the oldest runs of a status. */
export const armedOf = (on: On, project_id: string, status: RunStatus, limit: number): Promise<ArmedRow[]> =>
  on.read(
    `SELECT w.run_id, r.workflow, w.substate, w.name, w.armed_at, w.deadline FROM (
       SELECT run_id, workflow FROM runs_runs WHERE project_id = ? AND status = ? ORDER BY run_id LIMIT ${Math.trunc(limit)}
     ) r JOIN runs_waits w ON w.run_id = r.run_id AND w.state = 'armed'`,
    [project_id, status],
  );

/** Claimed activities by agent. There are no more of them than slots of agents. */
export async function heldBy(on: On, agent_ids: readonly string[]): Promise<Map<string, number>> {
  const held = new Map<string, number>();
  for (const some of chunks(agent_ids)) {
    const list = inList(some);
    const rows = await on.read<{ agent_id: string; n: number }>(
      `SELECT agent_id, COUNT(*) AS n FROM runs_activities WHERE state = 'claimed' AND agent_id IN ${list.placeholders}
       GROUP BY agent_id`,
      list.params,
    );
    for (const { agent_id, n } of rows) held.set(agent_id, Number(n));
  }
  return held;
}

interface VersionRow {
  run_id: string;
  project_id: string;
  status: RunStatus;
  next_seq: number;
  log_seq: number | null;
}

/** Four statements for 128 runs. */
export async function readFeedVersions(on: On, run_ids: readonly string[]): Promise<Map<string, RunVersions>> {
  const found = new Map<string, RunVersions>();
  for (const part of chunks(run_ids)) {
    const list = inList(part);
    const rows = await on.read<VersionRow>(
      `SELECT r.run_id, r.project_id, r.status, r.next_seq, h.next_seq AS log_seq
       FROM runs_runs r LEFT JOIN runs_log_heads h ON h.run_id = r.run_id WHERE r.run_id IN ${list.placeholders}`,
      list.params,
    );
    const states = await on.read<{ run_id: string; state: string; n: number }>(
      `SELECT run_id, state, COUNT(*) AS n FROM runs_activities WHERE run_id IN ${list.placeholders}
       GROUP BY run_id, state ORDER BY run_id, state`,
      list.params,
    );
    // Journals grow only under a claim, and their key holds the length.
    const lengths = await on.read<{ run_id: string; length: number | null }>(
      `SELECT a.run_id, SUM((SELECT MAX(j.position) FROM runs_journal j
         WHERE j.run_id = a.run_id AND j.activity_id = a.activity_id)) AS length
       FROM runs_activities a WHERE a.run_id IN ${list.placeholders} AND a.state = 'claimed'
       GROUP BY a.run_id`,
      list.params,
    );
    // Of calls that last, as other servers have written them.
    const written = await on.read<{ run_id: string; n: number; since: number }>(
      `SELECT run_id, COUNT(*) AS n, MAX(since) AS since FROM runs_under_way WHERE run_id IN ${list.placeholders} GROUP BY run_id`,
      list.params,
    );
    const lasting = new Map(written.map(({ run_id, n, since }) => [run_id, `${n} ${since}`]));
    const grown = new Map(lengths.map(({ run_id, length }) => [run_id, length]));
    for (const { run_id, project_id, status, next_seq, log_seq } of rows)
      found.set(run_id, {
        project_id,
        run: `${status} ${next_seq}`,
        steps: `${next_seq} ${statesOf(run_id, states)} ${grown.get(run_id) ?? '-'} ${lasting.get(run_id) ?? ''}`,
        log: String(log_seq ?? 0),
      });
  }
  return found;
}

const statesOf = (run_id: string, rows: readonly { run_id: string; state: string; n: number }[]): string =>
  rows.flatMap((row) => (row.run_id === run_id ? [`${row.state}=${row.n}`] : [])).join(',');
