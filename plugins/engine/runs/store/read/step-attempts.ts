import { inList, chunks, type Queries, type Sealer } from '../../../../../kernel/contracts/index.ts';
import type { ActivityScope, Step, StepAttempt, StepPosition } from '../../contract.ts';
import { sealContext } from '../rows/sealing.ts';

type On = Pick<Queries, 'read'>;

type AttemptRow = Omit<StepAttempt, 'message'> &
  Omit<Step, 'recorded' | 'deadline'> & { message: Buffer | null; state: string; deadline: number | null };

/** The kind under which an activity that is one command keeps its attempts. */
const COMMAND = 'activity';
/** Of 4 KiB of output and 2,048 characters of a message each: no more than fits on a page. */
const MAX_ROWS = 200;

const READ = `SELECT t.activity_id, a.name AS activity, a.state, t.position, t.kind, t.name, t.ordinal, t.label, t.epoch,
  t.attempt, t.attempts, t.exit_code, t.output, t.message, t.started_at, t.ended_at, t.next_at, w.deadline
  FROM runs_attempts t JOIN runs_activities a ON a.activity_id = t.activity_id
  LEFT JOIN runs_waits w ON w.run_id = t.run_id AND w.activity_id = t.activity_id AND w.position = t.position
    AND w.state = 'armed'`;

/** Calls after a position that failed at least once, whether they are tried again or not. The keys of the org must be prepared. */
export async function readTriedSteps(
  on: On,
  sealer: Sealer,
  run: ActivityScope,
  from: StepPosition,
): Promise<{ steps: (Step & { open: boolean })[]; truncated: boolean }> {
  const rows = await on.read<AttemptRow>(
    `${READ} WHERE t.run_id = ? AND (t.activity_id > ? OR (t.activity_id = ? AND t.position > ?)) AND t.kind <> '${COMMAND}'
     ORDER BY t.activity_id, t.position, t.attempt LIMIT ${MAX_ROWS}`,
    [run.run_id, from.activity_id, from.activity_id, from.position],
  );
  const truncated = rows.length === MAX_ROWS;
  const groups = [...Map.groupBy(rows, ({ activity_id, position }) => `${activity_id}/${position}`).values()];
  // The last one may lack some of its attempts; a call has fewer than there are rows here.
  if (truncated) groups.pop();
  return { steps: groups.map((group) => triedStep(sealer, run, group)), truncated };
}

function triedStep(sealer: Sealer, run: ActivityScope, rows: readonly AttemptRow[]): Step & { open: boolean } {
  const { activity_id, activity, position, kind, name, ordinal, label, started_at } = rows[0]!;
  const { state, deadline, epoch } = rows.at(-1)!;
  return {
    ...{ activity_id, activity, position, kind, name, ordinal, label, epoch, started_at, deadline },
    recorded: null,
    attempts: rows.map((row) => attemptOf(sealer, run, row)),
    open: ['pending', 'claimed', 'parked'].includes(state),
  };
}

function attemptOf(sealer: Sealer, run: ActivityScope, row: AttemptRow): StepAttempt {
  const { activity_id, position, attempt, attempts, exit_code, output, message, started_at, ended_at, next_at } = row;
  const open = (field: 'output' | 'message', blob: Buffer) =>
    sealer.open(sealContext.attempt(run, { run_id: run.run_id, activity_id, position, attempt }, field), blob);
  return {
    ...{ attempt, attempts, exit_code, started_at, ended_at, next_at },
    output: open('output', output),
    message: message === null ? null : open('message', message).toString(),
  };
}

/**
 * The failed attempts of activities that are one command, by their ids; of many, the first of each that fit on a page. The keys of
 * the org must be prepared.
 */
export async function readCommandAttempts(
  on: On,
  sealer: Sealer,
  run: ActivityScope,
  activity_ids: readonly string[],
): Promise<Map<string, StepAttempt[]>> {
  const found = new Map<string, StepAttempt[]>();
  let remaining = MAX_ROWS;
  for (const ids of chunks(activity_ids)) {
    if (remaining === 0) break;
    const list = inList(ids);
    const rows = await on.read<AttemptRow>(
      `${READ} WHERE t.run_id = ? AND t.activity_id IN ${list.placeholders} AND t.kind = '${COMMAND}'
       ORDER BY t.attempt, t.activity_id LIMIT ${MAX_ROWS}`,
      [run.run_id, ...list.params],
    );
    for (const row of rows.slice(0, remaining))
      found.set(row.activity_id, [...(found.get(row.activity_id) ?? []), attemptOf(sealer, run, row)]);
    remaining -= Math.min(remaining, rows.length);
  }
  return found;
}
