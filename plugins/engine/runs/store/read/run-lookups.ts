import { inList, chunks, type Queries, type Sealer } from '../../../../../kernel/contracts/index.ts';
import { type ActivityName, type CredentialRuns, type RunStatus, TERMINAL } from '../../contract.ts';
import {
  isTerminal,
  openRunEnvironment,
  type RunEnvironment,
  type RunEnvironmentRow,
  type RunRow,
} from '../rows/runs.ts';

type On = Pick<Queries, 'read'>;

/** What watchers see of a run. */
export interface RunVersion {
  /** A text that changes with the run's status or its log. */
  text: string;
  over: boolean;
}

export async function readVersions(on: On, run_ids: readonly string[]): Promise<Map<string, RunVersion>> {
  const found = new Map<string, RunVersion>();
  for (const part of chunks(run_ids)) {
    const list = inList(part);
    const rows = await on.read<{ run_id: string; status: RunStatus; next_seq: number | null }>(
      `SELECT r.run_id, r.status, h.next_seq FROM runs_runs r LEFT JOIN runs_log_heads h ON h.run_id = r.run_id
       WHERE r.run_id IN ${list.placeholders}`,
      list.params,
    );
    for (const row of rows)
      found.set(row.run_id, { text: `${row.status} ${row.next_seq ?? 0}`, over: isTerminal(row) });
  }
  return found;
}

/** Name of a run's coordinator, null without one; undefined when the project has no such run. */
export async function readCoordinator(on: On, project_id: string, run_id: string): Promise<string | null | undefined> {
  const [row] = await on.read<Pick<RunRow, 'coordinator'>>(
    'SELECT coordinator FROM runs_runs WHERE run_id = ? AND project_id = ?',
    [run_id, project_id],
  );
  return row?.coordinator;
}

/** Names of at most 128 activities, and the activities that asked for them. */
export function readActivityNames(on: On, activity_ids: readonly string[]): Promise<ActivityName[]> {
  const list = inList(activity_ids);
  return on.read(
    `SELECT activity_id, name, parent FROM runs_activities WHERE activity_id IN ${list.placeholders}`,
    list.params,
  );
}

/** At most 128 runs. */
export async function readFacts(
  on: On,
  sealer: Sealer,
  run_ids: readonly string[],
): Promise<Map<string, RunEnvironment>> {
  const list = inList(run_ids);
  const rows = await on.read<RunEnvironmentRow>(
    `SELECT run_id, org_id, project_id, subject, generation, env, credentials FROM runs_runs WHERE run_id IN ${list.placeholders}`,
    list.params,
  );
  const facts = new Map<string, RunEnvironment>();
  for (const row of rows) {
    await sealer.prepare(row.org_id);
    facts.set(row.run_id, openRunEnvironment(sealer, row));
  }
  return facts;
}

/** Which of these runs have ended, at most 128. */
export async function readEnded(on: On, run_ids: readonly string[]): Promise<Set<string>> {
  const list = inList(run_ids);
  const over = TERMINAL.map((status) => `'${status}'`).join(', ');
  const rows = await on.read<{ run_id: string }>(
    `SELECT run_id FROM runs_runs WHERE run_id IN ${list.placeholders} AND COALESCE(status, '') IN (${over})`,
    list.params,
  );
  return new Set(rows.map(({ run_id }) => run_id));
}

/** Finds runs that would fail if a credential were removed. */
export const createCredentialRuns = (on: On): CredentialRuns => ({
  async naming({ org_id, project_id }, credential, limit) {
    // JSON.stringify writes `"VARIABLE":"name"`, and names contain nothing that it escapes.
    const rows = await on.read<{ run_id: string; workflow: string; credentials: string }>(
      `SELECT run_id, workflow, credentials FROM runs_runs
       WHERE project_id = ? AND org_id = ? AND status IN ('queued', 'running', 'waiting') AND INSTR(credentials, ?) > 0
       ORDER BY run_id DESC LIMIT ${Math.trunc(limit)}`,
      [project_id, org_id, `:"${credential}"`],
    );
    return rows.map(({ run_id, workflow, credentials }) => {
      const named = JSON.parse(credentials) as Record<string, string>;
      return { run_id, workflow, variables: Object.keys(named).filter((variable) => named[variable] === credential) };
    });
  },
});
