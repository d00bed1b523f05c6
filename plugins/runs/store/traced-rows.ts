import { chunks, distinct, inKeys, inList, type Queries } from '../../../kernel/contracts/index.ts';
import type { TracedActivityRow, TracedAttemptRow, TracedRunRow } from '../trace/facts.ts';

type On = Pick<Queries, 'read'>;

const RUN = `run_id, org_id, project_id, org, project, kind, workflow, status, trigger_type, coordinator, parent, rerun_of,
  error_code, created_at, started_at, finished_at, trace`;
const ACTIVITY = `activity_id, run_id, name, executor, parent, state, epoch, due, created_at, finished_at, error_code,
  exit_code`;
const ATTEMPT = 'run_id, activity_id, position, attempt, exit_code, started_at, ended_at';
const PLACE = ['run_id', 'activity_id', 'position'] as const;

async function readAll<Row>(
  on: On,
  ids: readonly string[],
  statement: (marks: string) => string,
  keyOf: (row: Row) => string,
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  for (const some of chunks(distinct(ids, (id) => id))) {
    const list = inList(some);
    for (const row of await on.read<Row>(statement(list.marks), list.params)) found.set(keyOf(row), row);
  }
  return found;
}

export const readTracedRuns = (on: On, ids: readonly string[]): Promise<Map<string, TracedRunRow>> =>
  readAll<TracedRunRow>(
    on,
    ids,
    (marks) => `SELECT ${RUN} FROM runs_runs WHERE run_id IN ${marks}`,
    ({ run_id }) => run_id,
  );

export const readTracedActivities = (on: On, ids: readonly string[]): Promise<Map<string, TracedActivityRow>> =>
  readAll<TracedActivityRow>(
    on,
    ids,
    (marks) => `SELECT ${ACTIVITY} FROM runs_activities WHERE activity_id IN ${marks}`,
    ({ activity_id }) => activity_id,
  );

export const placeKey = ({ activity_id, position }: { activity_id: string; position: number }): string =>
  `${activity_id} ${position}`;

/** The failed attempts of calls, by `placeKey`, oldest first. */
export async function readTracedAttempts(
  on: On,
  places: readonly { run_id: string; activity_id: string; position: number }[],
): Promise<Map<string, TracedAttemptRow[]>> {
  const found: TracedAttemptRow[] = [];
  for (const some of chunks(places)) {
    const { condition, params } = inKeys(PLACE, some);
    found.push(...(await on.read<TracedAttemptRow>(`SELECT ${ATTEMPT} FROM runs_attempts WHERE ${condition}`, params)));
  }
  return Map.groupBy(
    found.sort((a, b) => a.attempt - b.attempt),
    placeKey,
  );
}
