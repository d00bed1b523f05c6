import type { Queries, Sealer } from '../../../kernel/contracts/index.ts';
import type { Run, Substate, SubstateKind } from '../contract.ts';
import { inList, parts } from '../store/batches.ts';
import { RUN_VIEW, type RunViewRow, toRun } from '../store/reading.ts';

export type Reader = Pick<Queries, 'read' | 'sql'>;

/** The records of these runs, in the order given; runs of other projects and absent ones are left out. */
export async function readRuns(on: Reader, sealer: Sealer, project_id: string, ids: readonly string[]): Promise<Run[]> {
  const found = new Map<string, Run>();
  for (const part of parts(ids)) {
    const list = inList(part);
    const rows = await on.read<RunViewRow>(`${RUN_VIEW} WHERE project_id = ? AND run_id IN ${list.marks}`, [
      project_id,
      ...list.params,
    ]);
    if (rows.length === 0) continue;
    await sealer.prepare(rows[0]!.org_id);
    const substates = await substatesOf(on, rows);
    const annotations = await annotationsOf(on, list);
    for (const row of rows)
      found.set(row.run_id, toRun(row, sealer, substates.get(row.run_id) ?? null, annotations.get(row.run_id) ?? []));
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** What the most recently parked activity of each waiting run waits for. */
async function substatesOf(on: Reader, rows: readonly RunViewRow[]): Promise<Map<string, Substate>> {
  const waiting = rows.filter(({ status }) => status === 'waiting').map(({ run_id }) => run_id);
  if (waiting.length === 0) return new Map();
  const ids = inList(waiting);
  const waits = await on.read<{
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
    waits.map(({ run_id, substate, name, armed_at, deadline }) => [
      run_id,
      { kind: substate as SubstateKind, name, since: armed_at, ...(deadline === null ? {} : { deadline }) },
    ]),
  );
}

async function annotationsOf(on: Reader, ids: ReturnType<typeof inList>): Promise<Map<string, string[]>> {
  const rows = await on.read<{ run_id: string; text: string }>(
    `SELECT run_id, text FROM runs_annotations WHERE run_id IN ${ids.marks} ORDER BY run_id, activity_id, nth`,
    ids.params,
  );
  const notes = new Map<string, string[]>();
  for (const { run_id, text } of rows) notes.set(run_id, [...(notes.get(run_id) ?? []), text]);
  return notes;
}
