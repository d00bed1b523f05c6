import { type Queries, Errors } from '../../../kernel/contracts/index.ts';
import { type Json, type RunStatus, type SubmitRun, TERMINAL, type Trigger } from '../contract.ts';
import { runUnfinished } from '../errors.ts';

interface Scope {
  org_id: string;
  project_id: string;
  org: string;
  project: string;
}

interface SourceRow {
  kind: string;
  status: RunStatus;
  subject: string | null;
  tags: string;
  trigger_fields: string;
  envelope: string;
  env: string;
  credentials: string | null;
  cancel_on: string | null;
  filename: string | null;
  interpreter: string | null;
  requires: string;
  trusted: number;
  generation: number;
  parent: string | null;
  source: string;
}

/**
 * What a run was made of, to be made again: everything but its idempotency key and who asked for it. Throws `not_found`
 * and `run_unfinished`.
 */
export async function submitOf(on: Pick<Queries, 'read'>, scope: Scope, run_id: string): Promise<SubmitRun> {
  const [row] = await on.read<SourceRow>(
    `SELECT r.kind, r.status, r.subject, r.tags, r.trigger_fields, r.envelope, r.env, r.credentials, r.cancel_on,
       r.filename, r.interpreter, r.requires, r.trusted, r.generation, r.parent, s.source
     FROM runs_runs r JOIN runs_sources s ON s.project_id = r.project_id AND s.digest = r.source_digest
     WHERE r.run_id = ? AND r.org_id = ? AND r.project_id = ?`,
    [run_id, scope.org_id, scope.project_id],
  );
  if (!row) throw Errors.notFound(`no run ${run_id} in this project`);
  if (!TERMINAL.includes(row.status)) throw runUnfinished(`run ${run_id} is ${row.status}`);
  const envelope = JSON.parse(row.envelope) as { type: string; input?: Json; [field: string]: Json | undefined };
  const { input, ...rest } = envelope;
  return {
    ...scope,
    kind: row.kind,
    source: row.source,
    ...optional('filename', row.filename),
    ...optional('interpreter', row.interpreter),
    ...optional('subject', row.subject),
    ...optional('parent', row.parent),
    ...optional(
      'credentials',
      row.credentials === null ? null : (JSON.parse(row.credentials) as Record<string, string>),
    ),
    ...optional('cancel_on', row.cancel_on === null ? null : (JSON.parse(row.cancel_on) as string[])),
    ...optional('input', input),
    env: JSON.parse(row.env) as Record<string, string>,
    tags: JSON.parse(row.tags) as string[],
    requires: JSON.parse(row.requires) as string[],
    trigger: JSON.parse(row.trigger_fields) as Trigger,
    envelope: rest as SubmitRun['envelope'] & object,
    // What started the first run is on the bus, and starts nothing a second time.
    triggered: true,
    trusted: row.trusted === 1,
    generation: row.generation,
  };
}

const optional = <K extends string, V>(name: K, value: V | null | undefined): { [P in K]?: V } =>
  value === null || value === undefined ? {} : ({ [name]: value } as { [P in K]?: V });
