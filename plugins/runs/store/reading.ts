import { Errors, type Sealer } from '../../../kernel/contracts/index.ts';
import type { Json, Run, RunStatus, StoredLog, Substate, SubstateKind, Trigger } from '../contract.ts';
import type { Reader } from './parts.ts';
import { sealed } from './sealing.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

/** A run's row as `RUN_VIEW` reads it. */
export interface RunViewRow {
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
  cancelled_by: string | null;
  cancel_on: string | null;
  requires: string;
  workflow_type: string | null;
  credentials: string | null;
}

export const RUN_VIEW = `SELECT run_id, org_id, project_id, kind, workflow, status, subject, tags, trigger_fields,
  trusted, generation, parent, rerun_of, created_at, started_at, finished_at, output, error_code, error_message,
  cancel_reason, cancelled_by, cancel_on, requires, workflow_type, credentials FROM runs_runs`;

/** One run with its substate and annotations. Throws `not_found` for a foreign one as for an absent one. */
export async function readRun(on: Reader, sealer: Sealer, scope: Scope, run_id: string): Promise<Run> {
  const [row] = await on.read<RunViewRow>(`${RUN_VIEW} WHERE run_id = ? AND org_id = ? AND project_id = ?`, [
    run_id,
    scope.org_id,
    scope.project_id,
  ]);
  if (!row) throw Errors.notFound(`there is no run ${run_id}`);
  await sealer.prepare(row.org_id);
  const substate = row.status === 'waiting' ? await readSubstate(on, run_id) : null;
  return toRun(row, sealer, substate, await readAnnotations(on, run_id));
}

/** The org's keys must be ready when the row has an output. */
export function toRun(row: RunViewRow, sealer: Sealer, substate: Substate | null, annotations: string[]): Run {
  const { output, error_code, error_message, tags, trigger_fields, trusted, credentials, ...rest } = row;
  const { cancelled_by, cancel_on, requires } = row;
  return {
    ...rest,
    requires: JSON.parse(requires) as string[],
    substate,
    tags: JSON.parse(tags) as string[],
    trigger: JSON.parse(trigger_fields) as Trigger,
    trusted: trusted === 1,
    output:
      output === null ? null : (JSON.parse(sealer.open(sealed.runOutput(row, row.run_id), output).toString()) as Json),
    error: error_code === null ? null : { code: error_code, message: error_message ?? '' },
    cancelled_by: cancelled_by === null ? null : (JSON.parse(cancelled_by) as Run['cancelled_by']),
    cancel_on: cancel_on === null ? [] : (JSON.parse(cancel_on) as string[]),
    ...(credentials === null ? {} : { credentials: JSON.parse(credentials) as Record<string, string> }),
    annotations,
  };
}

/** The most recently armed wait of a run. */
export async function readSubstate(on: Reader, run_id: string): Promise<Substate | null> {
  const [row] = await on.read<{ substate: SubstateKind; name: string; armed_at: number; deadline: number | null }>(
    `SELECT substate, name, armed_at, deadline FROM runs_waits WHERE run_id = ? AND state = 'armed'
     ORDER BY seq DESC LIMIT 1`,
    [run_id],
  );
  if (!row) return null;
  const deadline = row.deadline === null ? {} : { deadline: row.deadline };
  return { kind: row.substate, name: row.name, since: row.armed_at, ...deadline };
}

async function readAnnotations(on: Reader, run_id: string): Promise<string[]> {
  const rows = await on.read<{ text: string }>(
    'SELECT text FROM runs_annotations WHERE run_id = ? ORDER BY activity_id, nth',
    [run_id],
  );
  return rows.map(({ text }) => text);
}

/** A run's log from `after` (exclusive) on; the order is that of commits, so nothing is ever passed over. */
export async function readLogs(
  on: Reader,
  sealer: Sealer,
  run_id: string,
  after: string | undefined,
  limit: number,
): Promise<StoredLog[]> {
  const seq = after === undefined ? -1 : /^\d{1,15}$/.test(after) ? Number(after) : Number.NaN;
  if (Number.isNaN(seq)) throw Errors.invalidRequest(`${JSON.stringify(after)} is no place in a log`);
  const [run] = await on.read<Scope>('SELECT org_id, project_id FROM runs_runs WHERE run_id = ?', [run_id]);
  if (!run) throw Errors.notFound(`there is no run ${run_id}`);
  await sealer.prepare(run.org_id);
  const rows = await on.read<{
    seq: number;
    activity_id: string;
    epoch: number;
    n: number;
    stream: StoredLog['stream'];
    logged_at: number;
    data: Buffer;
  }>(
    `SELECT seq, activity_id, epoch, n, stream, logged_at, data FROM runs_logs WHERE run_id = ? AND seq > ?
     ORDER BY seq LIMIT ${Math.max(1, Math.trunc(limit))}`,
    [run_id, seq],
  );
  return rows.map((row) => ({
    log_id: String(row.seq),
    activity_id: row.activity_id,
    stream: row.stream,
    at: row.logged_at,
    data: sealer.open(sealed.log(run, row), row.data),
  }));
}
