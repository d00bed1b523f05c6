import { inList, chunks, Errors, iso, type Sealer, yieldToEventLoop } from '../../../../../kernel/contracts/index.ts';
import { decodeTrace } from '../../../../platform/tracing/contract.ts';
import type { ActivityScope, Run, RunPause, RunStatus, Substate, SubstateKind } from '../../contract.ts';
import type { Reader } from '../rows/context.ts';
import { readAllNotes, readFirstNotes, shortened } from '../read-notes.ts';
import {
  isLargeInList,
  isTerminal,
  LISTED_COLUMNS,
  LISTED_OUTPUT,
  LISTED_TEXT_LENGTH,
  LARGE_OUTPUT_BYTES,
  MODERATE_COLUMNS,
  RECORD_COLUMNS,
  VIEWED_COLUMNS,
  WHOLE_RECORD_COLUMNS,
  type ViewedRun,
  submittedCredentials,
  tagsOf,
  triggerOf,
} from '../rows/runs.ts';
import { openResult, parseJson } from '../rows/sealing.ts';
import { CONDITION_COLUMNS, type ConditionRow, openCondition, WITHOUT_CONDITION } from './wait-condition.ts';
import { parseExact } from '../../../../platform/schema/contract.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

export async function readRun(on: Reader, sealer: Sealer, scope: Scope, run_id: string): Promise<Run> {
  const [run] = await readRuns(on, sealer, scope, [run_id]);
  if (!run) throw Errors.notFound(`there is no run ${run_id}`);
  return run;
}

/** How much of each record is read. */
interface Depth {
  columns: string;
  /** Of long texts only the beginning is shown. */
  listed: boolean;
  /** Small outputs are read after the rest. */
  small_outputs?: boolean;
}

/** The records of these runs in the given order; runs of other projects and missing ones are left out. */
export const readRuns = (on: Reader, sealer: Sealer, scope: Scope, ids: readonly string[]): Promise<Run[]> =>
  readViewed(on, sealer, scope, ids, { columns: VIEWED_COLUMNS, listed: false });

/** The same, with `output_omitted` in place of an output that is large. */
export const readModerate = (on: Reader, sealer: Sealer, scope: Scope, ids: readonly string[]): Promise<Run[]> =>
  readViewed(on, sealer, scope, ids, { columns: MODERATE_COLUMNS, listed: false });

/** The same as a list shows them: without large outputs, and with the beginnings of long texts. */
export const readListed = (on: Reader, sealer: Sealer, scope: Scope, ids: readonly string[]): Promise<Run[]> =>
  readViewed(on, sealer, scope, ids, { columns: LISTED_COLUMNS, listed: true, small_outputs: true });

/** The same without any outputs. */
export const readRecords = (on: Reader, sealer: Sealer, scope: Scope, ids: readonly string[]): Promise<Run[]> =>
  withoutOutputs(readViewed(on, sealer, scope, ids, { columns: RECORD_COLUMNS, listed: true }));

/** With whole texts and all notes. */
export const readWholeRecords = (on: Reader, sealer: Sealer, scope: Scope, ids: readonly string[]): Promise<Run[]> =>
  withoutOutputs(readViewed(on, sealer, scope, ids, { columns: WHOLE_RECORD_COLUMNS, listed: false }));

async function withoutOutputs(reading: Promise<Run[]>): Promise<Run[]> {
  const runs = await reading;
  return runs.map(({ output: _output, output_omitted: _omitted, ...run }) => run);
}

/** SQLite would read all runs of the project for a list of three, by an index that begins with the project: it may not use one for this. */
const OWN = "org_id = ? AND COALESCE(project_id, '') = ?";

async function readViewed(
  on: Reader,
  sealer: Sealer,
  scope: Scope,
  ids: readonly string[],
  { columns, listed, small_outputs = false }: Depth,
): Promise<Run[]> {
  const found = new Map<string, Run>();
  const rowsOf = (some: readonly string[]) => {
    const list = inList(some);
    return on.read<ViewedRun>(`SELECT ${columns} FROM runs_runs WHERE ${OWN} AND run_id IN ${list.placeholders}`, [
      scope.org_id,
      scope.project_id,
      ...list.params,
    ]);
  };
  for (const part of chunks(ids)) {
    const { rows, substates } = await withSubstates(on, rowsOf, part, listed);
    if (rows.length === 0) continue;
    if (small_outputs) await readSmallOutputs(on, scope, rows);
    await sealer.prepare(scope.org_id);
    const noted = rows.flatMap(({ run_id, noted }) => (Number(noted) === 1 ? [run_id] : []));
    const annotations = await notesOf(on, noted, listed);
    for (const row of rows) {
      const stored = substates.get(row.run_id);
      const substate = stored && openSubstate(sealer, { ...scope, run_id: row.run_id }, stored);
      const run = toRun(row, sealer, substate, annotations.get(row.run_id) ?? []);
      found.set(row.run_id, listed ? withShortTexts(run) : run);
      if ((row.output?.length ?? 0) > LARGE_OUTPUT_BYTES) await yieldToEventLoop();
    }
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Puts the small outputs of runs into their rows. */
async function readSmallOutputs(on: Reader, scope: Scope, rows: readonly ViewedRun[]): Promise<void> {
  const asked = new Map(
    rows.filter((row) => row.status === 'succeeded' && !isLargeInList(row)).map((row) => [row.run_id, row]),
  );
  if (asked.size === 0) return;
  const list = inList([...asked.keys()]);
  const outputs = await on.read<Pick<ViewedRun, 'run_id' | 'output' | 'output_bytes'>>(
    `SELECT run_id, ${LISTED_OUTPUT} FROM runs_runs WHERE ${OWN} AND run_id IN ${list.placeholders}`,
    [scope.org_id, scope.project_id, ...list.params],
  );
  for (const { run_id, output, output_bytes } of outputs) Object.assign(asked.get(run_id)!, { output, output_bytes });
}

/**
 * Rows, and what their runs wait for. A run that was woken between the two reads would be shown as one that waits for
 * nothing: it is read again, at most twice.
 */
async function withSubstates(
  on: Reader,
  rowsOf: (ids: readonly string[]) => Promise<ViewedRun[]>,
  ids: readonly string[],
  listed: boolean,
): Promise<{ rows: ViewedRun[]; substates: Map<string, StoredSubstate> }> {
  const rows = new Map<string, ViewedRun>();
  const substates = new Map<string, StoredSubstate>();
  for (let some = ids, left = 3; some.length > 0 && left > 0; left -= 1) {
    const read = await rowsOf(some);
    for (const row of read) rows.set(row.run_id, row);
    for (const [run_id, substate] of await substatesOf(on, read, listed)) substates.set(run_id, substate);
    some = read.flatMap(({ run_id, status }) => (status === 'waiting' && !substates.has(run_id) ? [run_id] : []));
  }
  return { rows: [...rows.values()], substates };
}

const json = <T>(text: string | null): T | undefined => (text === null ? undefined : (parseExact(text) as T));
const time = (ms: number | null): string | undefined => (ms === null ? undefined : iso(ms));
const unlessEmpty = <T>(list: T[] | undefined): T[] | undefined => (list && list.length > 0 ? list : undefined);

function toRun(row: ViewedRun, sealer: Sealer, substate: Substate | undefined, annotations: string[]): Run {
  return {
    run_id: row.run_id,
    kind: row.kind,
    workflow_type: row.workflow_type ?? undefined,
    workflow: row.workflow,
    status: row.status,
    substate,
    subject: row.subject ?? undefined,
    tags: tagsOf(row),
    trigger: triggerOf(row),
    trusted: row.trusted === 1,
    parent: row.parent ?? undefined,
    rerun_of: row.rerun_of ?? undefined,
    generation: row.generation,
    created_at: iso(row.created_at),
    started_at: time(row.started_at),
    finished_at: time(row.finished_at),
    paused: pauseOf(row),
    priority: row.priority ?? undefined,
    deadline: row.timeout_ms === null ? undefined : iso(row.created_at + row.timeout_ms),
    ...outputOf(row, sealer),
    error: row.error_code === null ? undefined : { code: row.error_code, message: row.error_message ?? '' },
    reason: row.cancel_reason ?? undefined,
    cancelled_by: json(row.cancelled_by),
    cancel_on: unlessEmpty(json<string[]>(row.cancel_on)),
    requires: unlessEmpty(json<string[]>(row.requires)),
    credentials: submittedCredentials(row.credentials),
    annotations,
    trace_id: decodeTrace(row.trace)?.trace_id,
  };
}

/** A run that has ended is no longer paused, whatever its row says. */
function pauseOf(row: ViewedRun): Run['paused'] {
  if (row.paused_at === null || isTerminal(row)) return undefined;
  return { at: iso(row.paused_at), ...json<RunPause>(row.pause) };
}

async function notesOf(on: Reader, run_ids: readonly string[], listed: boolean): Promise<Map<string, string[]>> {
  if (listed) return readFirstNotes(on, run_ids);
  const notes = new Map<string, string[]>();
  for (const run_id of run_ids) notes.set(run_id, await readAllNotes(on, run_id));
  return notes;
}

function withShortTexts(run: Run): Run {
  const { error, reason } = run;
  const short = (text: string) => shortened(text, LISTED_TEXT_LENGTH);
  return {
    ...run,
    error: error && { ...error, message: short(error.message) },
    reason: reason && short(reason),
  };
}

/** A record without its output says nothing of it; a list says that there is a large one. */
function outputOf(row: ViewedRun, sealer: Sealer): Pick<Run, 'output' | 'output_omitted'> {
  if (row.status !== 'succeeded') return {};
  if (row.output === null) return row.output_bytes === null ? { output: null } : { output_omitted: true };
  return { output: parseJson(openResult(sealer, row, row.output).output_json.toString()) };
}

/** What the most recently parked activity of each run waits for that waits, or is queued for its turn. */
async function substatesOf(
  on: Reader,
  rows: readonly ViewedRun[],
  listed: boolean,
): Promise<Map<string, StoredSubstate>> {
  const waiting = rows.filter(({ status }) => status === 'waiting' || status === 'queued').map(({ run_id }) => run_id);
  if (waiting.length === 0) return new Map();
  const ids = inList(waiting);
  const waits = await on.read<StoredSubstate>(
    `SELECT w.run_id, w.substate, w.name, w.armed_at, w.deadline, c.called_id,
       ${listed ? WITHOUT_CONDITION : CONDITION_COLUMNS} FROM runs_waits w
     JOIN (SELECT run_id, MAX(seq) AS seq FROM runs_waits WHERE state = 'armed' AND run_id IN ${ids.placeholders} GROUP BY run_id) last
       ON last.run_id = w.run_id AND last.seq = w.seq
     LEFT JOIN runs_calls c ON c.run_id = w.run_id AND c.activity_id = w.activity_id AND c.position = w.position
     WHERE w.state = 'armed'`,
    ids.params,
  );
  return new Map(waits.map((wait) => [wait.run_id, wait]));
}

interface StoredSubstate extends ConditionRow {
  run_id: string;
  substate: SubstateKind;
  name: string;
  armed_at: number;
  deadline: number | null;
  called_id: string | null;
}

function openSubstate(sealer: Sealer, run: ActivityScope, stored: StoredSubstate): Substate {
  const { substate, name, armed_at, deadline, called_id, activity_id, position, condition_args } = stored;
  return {
    ...{ kind: substate, name, run_id: called_id ?? undefined, since: iso(armed_at), deadline: time(deadline) },
    ...openCondition(sealer, run, { activity_id, position, condition_args }),
  };
}

/** Undefined for a run that does not exist. */
export async function readStatus(on: Reader, run_id: string): Promise<RunStatus | undefined> {
  const [row] = await on.read<Pick<ViewedRun, 'status'>>('SELECT status FROM runs_runs WHERE run_id = ?', [run_id]);
  return row?.status;
}
