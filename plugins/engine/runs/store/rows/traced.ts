import { chunks, distinct, inKeys, inList, type Queries } from '../../../../../kernel/contracts/index.ts';
import type { TracedActivityRow, TracedAttemptRow, TracedRunRow } from '../../trace/facts.ts';

type TraceReader = Pick<Queries, 'read'>;

const RUN_COLUMNS = `run_id, org_id, project_id, org, project, kind, workflow, status, trigger_type, coordinator, parent, rerun_of,
  error_code, created_at, started_at, finished_at, trace`;
const ACTIVITY_COLUMNS = `activity_id, run_id, name, executor, parent, state, epoch, due, created_at, finished_at, error_code,
  exit_code`;
const ATTEMPT_COLUMNS = 'run_id, activity_id, position, attempt, exit_code, started_at, ended_at';
const CALL_KEY = ['run_id', 'activity_id', 'position'] as const;

async function readAll<Row>(
  on: TraceReader,
  ids: readonly string[],
  statement: (marks: string) => string,
  keyOf: (row: Row) => string,
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  for (const some of chunks(distinct(ids, (id) => id))) {
    const list = inList(some);
    for (const row of await on.read<Row>(statement(list.placeholders), list.params)) found.set(keyOf(row), row);
  }
  return found;
}

export const readTracedRuns = (on: TraceReader, ids: readonly string[]): Promise<Map<string, TracedRunRow>> =>
  readAll<TracedRunRow>(
    on,
    ids,
    (marks) => `SELECT ${RUN_COLUMNS} FROM runs_runs WHERE run_id IN ${marks}`,
    ({ run_id }) => run_id,
  );

export const readTracedActivities = (
  on: TraceReader,
  ids: readonly string[],
): Promise<Map<string, TracedActivityRow>> =>
  readAll<TracedActivityRow>(
    on,
    ids,
    (marks) => `SELECT ${ACTIVITY_COLUMNS} FROM runs_activities WHERE activity_id IN ${marks}`,
    ({ activity_id }) => activity_id,
  );

export const callKey = ({ activity_id, position }: { activity_id: string; position: number }): string =>
  `${activity_id} ${position}`;

/** The failed attempts of calls, by `callKey`, oldest first. */
export async function readTracedAttempts(
  on: TraceReader,
  places: readonly { run_id: string; activity_id: string; position: number }[],
): Promise<Map<string, TracedAttemptRow[]>> {
  const found: TracedAttemptRow[] = [];
  for (const some of chunks(places)) {
    const { condition, params } = inKeys(CALL_KEY, some);
    found.push(
      ...(await on.read<TracedAttemptRow>(`SELECT ${ATTEMPT_COLUMNS} FROM runs_attempts WHERE ${condition}`, params)),
    );
  }
  return Map.groupBy(
    found.sort((a, b) => a.attempt - b.attempt),
    callKey,
  );
}
