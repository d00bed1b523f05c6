import { chunks, distinct, inList, type Queries, type Sealer } from '../../../../../kernel/contracts/index.ts';
import { RETRY_WAIT } from '../../domain/retry-kind.ts';
import type { ActivityScope, ChildState, Step, StepPosition } from '../../contract.ts';
import { OUTPUT, OUTPUT_BYTES, WITH_OUTPUTS } from '../rows/journal.ts';
import { sealContext } from '../rows/sealing.ts';

type On = Pick<Queries, 'read'>;

type CallRow = Omit<Step, 'recorded' | 'deadline' | 'attempts' | 'in_flight'>;
type RecordRow = CallRow & { exit_code: number; output: Buffer; message: Buffer | null; recorded_at: number };

const CALL = (from: string) => `${from}.activity_id, a.name AS activity, ${from}.position, ${from}.kind, ${from}.name,
  ${from}.ordinal, ${from}.label, ${from}.epoch, ${from}.started_at`;

/** Rows after a position, in the order of both tables' primary keys. */
const AFTER = (from: string) => `${from}.run_id = ?
  AND (${from}.activity_id > ? OR (${from}.activity_id = ? AND ${from}.position > ?))`;
const ORDER = (from: string) => `ORDER BY ${from}.activity_id, ${from}.position`;

const after = (run_id: string, { activity_id, position }: StepPosition) => [run_id, activity_id, activity_id, position];

/** Calls after a position that are waiting for their outcome. */
export async function readWaitingSteps(on: On, run_id: string, from: StepPosition, limit: number): Promise<Step[]> {
  const waits = await on.read<CallRow & { deadline: number | null }>(
    `SELECT ${CALL('w')}, w.deadline FROM runs_waits w JOIN runs_activities a ON a.activity_id = w.activity_id
     WHERE ${AFTER('w')} AND w.state = 'armed' AND w.kind <> '${RETRY_WAIT}' ${ORDER('w')} LIMIT ${Math.trunc(limit)}`,
    after(run_id, from),
  );
  return waits.map((wait) => ({ ...wait, recorded: null }));
}

/** Sizes of the outputs of the records after a position, without their content. */
export async function readStepSizes(on: On, run_id: string, from: StepPosition, limit: number): Promise<number[]> {
  const sizes = await on.read<{ bytes: number }>(
    `SELECT ${OUTPUT_BYTES} FROM ${WITH_OUTPUTS} WHERE ${AFTER('j')} ${ORDER('j')} LIMIT ${Math.trunc(limit)}`,
    after(run_id, from),
  );
  return sizes.map(({ bytes }) => Number(bytes));
}

/** The opened records after a position. The org's keys are ready. */
export async function readRecordedSteps(
  on: On,
  sealer: Sealer,
  run: ActivityScope,
  from: StepPosition,
  limit: number,
): Promise<Step[]> {
  const records = await on.read<RecordRow>(
    `SELECT ${CALL('j')}, j.exit_code, ${OUTPUT}, j.message, j.recorded_at
     FROM ${WITH_OUTPUTS} JOIN runs_activities a ON a.activity_id = j.activity_id
     WHERE ${AFTER('j')} ${ORDER('j')} LIMIT ${Math.trunc(limit)}`,
    after(run.run_id, from),
  );
  return records.map((row) => recordedStep(sealer, run, row));
}

function recordedStep(sealer: Sealer, run: ActivityScope, row: RecordRow): Step {
  const { exit_code, output, message, recorded_at, ...call } = row;
  const open = (field: 'output' | 'message', blob: Buffer) =>
    sealer.open(
      sealContext.record(run, { run_id: run.run_id, activity_id: row.activity_id, position: row.position }, field),
      blob,
    );
  const text = message === null ? null : open('message', message).toString();
  return {
    ...call,
    deadline: null,
    recorded: { at: recorded_at, exit_code, output: open('output', output), message: text },
  };
}

/** The children with these names, of these activities: a run may have thousands of others. */
export async function readChildren(
  on: On,
  run_id: string,
  calls: readonly { activity_id: string; name: string }[],
): Promise<ChildState[]> {
  const found: ChildState[] = [];
  for (const chunk of chunks(calls)) {
    const parents = inList(distinct(chunk, ({ activity_id }) => activity_id));
    // HEX compares bytes in both families; MySQL's binary collations would ignore trailing spaces.
    const names = inList(distinct(chunk, ({ name }) => Buffer.from(name).toString('hex').toUpperCase()));
    const rows = await on.read<ChildState>(
      `SELECT a.activity_id, a.parent, a.name, a.state, a.exit_code, a.agent_id, a.created_at, a.finished_at,
         l.requires FROM runs_activities a
       LEFT JOIN runs_lanes l ON l.lane = a.lane
       WHERE a.run_id = ? AND a.parent IN ${parents.placeholders} AND HEX(a.name) IN ${names.placeholders}`,
      [run_id, ...parents.params, ...names.params],
    );
    found.push(...rows);
  }
  return found;
}

/** True when the project has this run. */
export async function hasRun(on: On, project_id: string, run_id: string): Promise<boolean> {
  const rows = await on.read('SELECT 1 AS found FROM runs_runs WHERE run_id = ? AND project_id = ?', [
    run_id,
    project_id,
  ]);
  return rows.length > 0;
}
