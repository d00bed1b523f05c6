import { inList, chunks, Errors, iso, type Sealer, yieldToEventLoop } from '../../../kernel/contracts/index.ts';
import { readKept } from '../../tracing/contract.ts';
import type { Json, Run, RunStatus, Substate, SubstateKind } from '../contract.ts';
import type { Reader } from './parts.ts';
import { RECORD_COLUMNS, VIEWED_COLUMNS, type ViewedRun } from './run-columns.ts';
import { sealed } from './sealing.ts';
import { readGiven } from './named-credentials.ts';
import { parseExact } from '../../schema/contract.ts';
import { parseJson, tagsOf, triggerOf } from './run-rows.ts';

/** Bytes of an output that takes milliseconds to open and to parse. */
const LARGE = 256 * 1024;

interface Scope {
  org_id: string;
  project_id: string;
}

export async function readRun(on: Reader, sealer: Sealer, scope: Scope, run_id: string): Promise<Run> {
  const [run] = await readRuns(on, sealer, scope, [run_id]);
  if (!run) throw Errors.notFound(`there is no run ${run_id}`);
  return run;
}

/** The records of these runs in the given order; runs of other projects and missing ones are left out. */
export const readRuns = (on: Reader, sealer: Sealer, scope: Scope, ids: readonly string[]): Promise<Run[]> =>
  readViewed(on, sealer, scope, ids, VIEWED_COLUMNS);

/** The same without outputs, which may be large. */
export async function readRecords(on: Reader, sealer: Sealer, scope: Scope, ids: readonly string[]): Promise<Run[]> {
  const runs = await readViewed(on, sealer, scope, ids, RECORD_COLUMNS);
  return runs.map(({ output: _output, ...run }) => run);
}

async function readViewed(
  on: Reader,
  sealer: Sealer,
  scope: Scope,
  ids: readonly string[],
  columns: string,
): Promise<Run[]> {
  const found = new Map<string, Run>();
  const rowsOf = (some: readonly string[]) => {
    const list = inList(some);
    return on.read<ViewedRun>(
      `SELECT ${columns} FROM runs_runs WHERE org_id = ? AND project_id = ? AND run_id IN ${list.marks}`,
      [scope.org_id, scope.project_id, ...list.params],
    );
  };
  for (const part of chunks(ids)) {
    const { rows, substates } = await withSubstates(on, rowsOf, part);
    if (rows.length === 0) continue;
    await sealer.prepare(scope.org_id);
    const annotations = await annotationsOf(on, inList(part));
    for (const row of rows) {
      found.set(row.run_id, toRun(row, sealer, substates.get(row.run_id), annotations.get(row.run_id) ?? []));
      if ((row.output?.length ?? 0) > LARGE) await yieldToEventLoop();
    }
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

/**
 * Rows, and what their runs wait for. A run that was woken between the two reads would be shown as one that waits for
 * nothing: it is read again, at most twice.
 */
async function withSubstates(
  on: Reader,
  rowsOf: (ids: readonly string[]) => Promise<ViewedRun[]>,
  ids: readonly string[],
): Promise<{ rows: ViewedRun[]; substates: Map<string, Substate> }> {
  const rows = new Map<string, ViewedRun>();
  const substates = new Map<string, Substate>();
  for (let some = ids, left = 3; some.length > 0 && left > 0; left -= 1) {
    const read = await rowsOf(some);
    for (const row of read) rows.set(row.run_id, row);
    for (const [run_id, substate] of await substatesOf(on, read)) substates.set(run_id, substate);
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
    deadline: row.timeout_ms === null ? undefined : iso(row.created_at + row.timeout_ms),
    output: row.status === 'succeeded' ? outputOf(row, sealer) : undefined,
    error: row.error_code === null ? undefined : { code: row.error_code, message: row.error_message ?? '' },
    reason: row.cancel_reason ?? undefined,
    cancelled_by: json(row.cancelled_by),
    cancel_on: unlessEmpty(json<string[]>(row.cancel_on)),
    requires: unlessEmpty(json<string[]>(row.requires)),
    credentials: readGiven(row.credentials),
    annotations,
    trace_id: readKept(row.trace)?.trace_id,
  };
}

const outputOf = (row: ViewedRun, sealer: Sealer): Json =>
  row.output === null ? null : parseJson(sealer.open(sealed.runOutput(row, row.run_id), row.output).toString());

/** What the most recently parked activity of each run waits for that waits, or is queued for its turn. */
async function substatesOf(on: Reader, rows: readonly ViewedRun[]): Promise<Map<string, Substate>> {
  const waiting = rows.filter(({ status }) => status === 'waiting' || status === 'queued').map(({ run_id }) => run_id);
  if (waiting.length === 0) return new Map();
  const ids = inList(waiting);
  const waits = await on.read<{
    run_id: string;
    substate: SubstateKind;
    name: string;
    armed_at: number;
    deadline: number | null;
    called_id: string | null;
  }>(
    `SELECT w.run_id, w.substate, w.name, w.armed_at, w.deadline, c.called_id FROM runs_waits w
     JOIN (SELECT run_id, MAX(seq) AS seq FROM runs_waits WHERE state = 'armed' AND run_id IN ${ids.marks} GROUP BY run_id) last
       ON last.run_id = w.run_id AND last.seq = w.seq
     LEFT JOIN runs_calls c ON c.run_id = w.run_id AND c.activity_id = w.activity_id AND c.position = w.position
     WHERE w.state = 'armed'`,
    ids.params,
  );
  return new Map(
    waits.map(({ run_id, substate, name, armed_at, deadline, called_id }) => [
      run_id,
      { kind: substate, name, run_id: called_id ?? undefined, since: iso(armed_at), deadline: time(deadline) },
    ]),
  );
}

async function annotationsOf(on: Reader, ids: ReturnType<typeof inList>): Promise<Map<string, string[]>> {
  const rows = await on.read<{ run_id: string; text: string }>(
    `SELECT run_id, text FROM runs_annotations WHERE run_id IN ${ids.marks} ORDER BY run_id, activity_id, nth`,
    ids.params,
  );
  const notes = new Map<string, string[]>();
  for (const { run_id, text } of rows) {
    const known = notes.get(run_id);
    if (known) known.push(text);
    else notes.set(run_id, [text]);
  }
  return notes;
}

/** Undefined for a run that does not exist. */
export async function readStatus(on: Reader, run_id: string): Promise<RunStatus | undefined> {
  const [row] = await on.read<Pick<ViewedRun, 'status'>>('SELECT status FROM runs_runs WHERE run_id = ?', [run_id]);
  return row?.status;
}
