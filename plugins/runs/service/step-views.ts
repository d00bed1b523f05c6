import { type Sealer, token } from '../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../masking/contract.ts';
import { sealed } from '../store/sealing.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { maskedSteps } from './masked.ts';
import type { Step } from './render.ts';
import type { Reader } from './run-rows.ts';
import { noRun, runId } from './run-views.ts';
import { withChildren } from './step-children.ts';

/** Output of one page of steps: a page is shorter than asked for rather than larger than this. */
const PAGE_BYTES = 8 * 1024 * 1024;

interface Scope {
  org_id: string;
  project_id: string;
}

export interface StepViews {
  /** Durable calls by activity and position. Throws `not_found` for an absent or foreign run. */
  list(
    scope: Scope,
    run_id: string,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ steps: Step[]; next_cursor?: string }>;
}

export const StepViews = token<StepViews>('runs.StepViews');

interface Place {
  activity_id: string;
  position: number;
}

type CallRow = Omit<Step, 'recorded' | 'deadline'>;
type WaitRow = CallRow & { deadline: number | null };
type RecordRow = CallRow & { exit_code: number; output: Buffer; message: Buffer | null; recorded_at: number };

const CALL = (from: string) => `${from}.activity_id, a.name AS activity, ${from}.position, ${from}.kind, ${from}.name,
  ${from}.ordinal, ${from}.label, ${from}.started_at`;

/** Rows after a place, in the order of the primary key of both tables. */
const AFTER = (from: string) => `${from}.run_id = ?
  AND (${from}.activity_id > ? OR (${from}.activity_id = ? AND ${from}.position > ?))`;
const ORDER = (from: string) => `ORDER BY ${from}.activity_id, ${from}.position`;

export function createStepViews(on: Reader, sealer: Sealer, masks: Pick<RunMasks, 'of'>): StepViews {
  return {
    async list(scope, run_id, { limit, cursor }) {
      const place = decodeCursor(cursor, ['id', 'number']);
      const after: Place = { activity_id: place?.[0] ?? '', position: place?.[1] ?? -1 };
      const [run] = await on.read('SELECT 1 AS found FROM runs_runs WHERE run_id = ? AND project_id = ?', [
        runId(run_id),
        scope.project_id,
      ]);
      if (!run) throw noRun(run_id);
      await sealer.prepare(scope.org_id);
      const { steps, cut } = await readSteps(on, sealer, scope, run_id, after, limit + 1);
      // After the steps were read: what they may show was given to their run before.
      const masker = await masks.of({ org_id: scope.org_id, project_id: scope.project_id, run_id });
      const kept = await maskedSteps(await withChildren(on, run_id, steps.slice(0, limit)), masker);
      const last = kept.at(-1);
      return last && (cut || steps.length > limit)
        ? { steps: kept, next_cursor: encodeCursor([last.activity_id, last.position]) }
        : { steps: kept };
    },
  };
}

/**
 * Waits are read before the journal: one that ends in between shows up in both and its record wins, while in the
 * other order it would be in neither.
 */
async function readSteps(on: Reader, sealer: Sealer, scope: Scope, run_id: string, after: Place, limit: number) {
  const params = [run_id, after.activity_id, after.activity_id, after.position];
  const waits = await on.read<WaitRow>(
    `SELECT ${CALL('w')}, w.deadline FROM runs_waits w JOIN runs_activities a ON a.activity_id = w.activity_id
     WHERE ${AFTER('w')} AND w.state = 'armed' ${ORDER('w')} LIMIT ${Math.trunc(limit)}`,
    params,
  );
  const { count, cut } = await fitting(on, params, limit);
  const records = await on.read<RecordRow>(
    `SELECT ${CALL('j')}, j.exit_code, j.output, j.message, j.recorded_at
     FROM runs_journal j JOIN runs_activities a ON a.activity_id = j.activity_id
     WHERE ${AFTER('j')} ${ORDER('j')} LIMIT ${count}`,
    params,
  );
  const steps = new Map<string, Step>();
  for (const wait of waits) steps.set(`${wait.activity_id}/${wait.position}`, { ...wait, recorded: null });
  for (const row of records) steps.set(`${row.activity_id}/${row.position}`, recordedStep(sealer, scope, run_id, row));
  const end = cut ? records.at(-1) : undefined;
  return { cut, steps: [...steps.values()].sort(byPlace).filter((step) => !end || byPlace(step, end) <= 0) };
}

/** How many of the next records fit into a page, at least one; their sizes are read without their content. */
async function fitting(
  on: Reader,
  params: (string | number)[],
  limit: number,
): Promise<{ count: number; cut: boolean }> {
  const sizes = await on.read<{ bytes: number }>(
    `SELECT LENGTH(j.output) AS bytes FROM runs_journal j WHERE ${AFTER('j')} ${ORDER('j')} LIMIT ${Math.trunc(limit)}`,
    params,
  );
  let count = 0;
  for (let bytes = 0; count < sizes.length; count++) {
    bytes += sizes[count]!.bytes;
    if (bytes > PAGE_BYTES && count > 0) break;
  }
  return { count: Math.max(count, 1), cut: count < sizes.length };
}

const byPlace = (a: Place, b: Place): number =>
  a.activity_id === b.activity_id ? a.position - b.position : a.activity_id < b.activity_id ? -1 : 1;

function recordedStep(sealer: Sealer, scope: Scope, run_id: string, row: RecordRow): Step {
  const { exit_code, output, message, recorded_at, ...call } = row;
  const open = (field: 'output' | 'message', blob: Buffer) =>
    sealer.open(sealed.record(scope, { run_id, activity_id: row.activity_id, position: row.position }, field), blob);
  const text = message === null ? null : open('message', message).toString();
  return {
    ...call,
    deadline: null,
    recorded: { at: recorded_at, exit_code, output: open('output', output), message: text },
  };
}
