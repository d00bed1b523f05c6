import type { Queries, Sealer } from '../../../kernel/contracts/index.ts';
import type { Json, Run, RunStatus, Substate, SubstateKind, Trigger } from '../contract.ts';
import { inList, parts } from '../store/batches.ts';
import { sealed } from '../store/sealing.ts';

export type Reader = Pick<Queries, 'read'>;

interface RunRow {
  run_id: string;
  org_id: string;
  project_id: string;
  kind: string;
  workflow: string;
  status: RunStatus;
  subject: string | null;
  tags: string;
  trigger_fields: string;
  trusted: number;
  generation: number;
  parent: string | null;
  rerun_of: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  output: Buffer | null;
  error_code: string | null;
  error_message: string | null;
  cancel_reason: string | null;
}

const COLUMNS = `run_id, org_id, project_id, kind, workflow, status, subject, tags, trigger_fields, trusted, generation,
  parent, rerun_of, created_at, started_at, finished_at, output, error_code, error_message, cancel_reason`;

interface Beside {
  substates: Map<string, Substate>;
  annotations: Map<string, string[]>;
}

/** The records of these runs, in the order given; runs of other projects and absent ones are left out. */
export async function readRuns(on: Reader, sealer: Sealer, project_id: string, ids: readonly string[]): Promise<Run[]> {
  const found = new Map<string, Run>();
  for (const part of parts(ids)) {
    const list = inList(part);
    const rows = await on.read<RunRow>(
      `SELECT ${COLUMNS} FROM runs_runs WHERE project_id = ? AND run_id IN ${list.marks}`,
      [project_id, ...list.params],
    );
    if (rows.length === 0) continue;
    await sealer.prepare(rows[0]!.org_id);
    const beside = { substates: await substatesOf(on, list), annotations: await annotationsOf(on, list) };
    for (const row of rows) found.set(row.run_id, runOf(row, beside, sealer));
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

type IdList = ReturnType<typeof inList>;

/** What the most recently parked activity of each run waits for. */
async function substatesOf(on: Reader, ids: IdList): Promise<Map<string, Substate>> {
  const rows = await on.read<{
    run_id: string;
    substate: string;
    name: string;
    armed_at: number;
    deadline: number | null;
  }>(
    `SELECT w.run_id, w.substate, w.name, w.armed_at, w.deadline FROM runs_waits w
     JOIN (SELECT run_id, MAX(seq) AS seq FROM runs_waits WHERE state = 'armed' AND run_id IN ${ids.marks} GROUP BY run_id) last
       ON last.run_id = w.run_id AND last.seq = w.seq
     WHERE w.state = 'armed'`,
    ids.params,
  );
  return new Map(
    rows.map(({ run_id, substate, name, armed_at, deadline }) => [
      run_id,
      { kind: substate as SubstateKind, name, since: armed_at, ...(deadline === null ? {} : { deadline }) },
    ]),
  );
}

async function annotationsOf(on: Reader, ids: IdList): Promise<Map<string, string[]>> {
  const rows = await on.read<{ run_id: string; text: string }>(
    `SELECT run_id, text FROM runs_annotations WHERE run_id IN ${ids.marks} ORDER BY run_id, activity_id, nth`,
    ids.params,
  );
  const notes = new Map<string, string[]>();
  for (const { run_id, text } of rows) notes.set(run_id, [...(notes.get(run_id) ?? []), text]);
  return notes;
}

function runOf(row: RunRow, beside: Beside, sealer: Sealer): Run {
  const { tags, trigger_fields, trusted, output, error_code, error_message, ...plain } = row;
  return {
    ...plain,
    substate: beside.substates.get(row.run_id) ?? null,
    tags: JSON.parse(tags) as string[],
    trigger: JSON.parse(trigger_fields) as Trigger,
    trusted: trusted === 1,
    output: output === null ? null : openJson(sealer, row, output),
    error: error_code === null ? null : { code: error_code, message: error_message ?? '' },
    annotations: beside.annotations.get(row.run_id) ?? [],
  };
}

const openJson = (sealer: Sealer, row: RunRow, blob: Buffer): Json =>
  JSON.parse(sealer.open(sealed.runOutput(row, row.run_id), blob).toString()) as Json;
