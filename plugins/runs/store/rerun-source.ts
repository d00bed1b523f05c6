import { type Queries, Errors, type Sealer } from '../../../kernel/contracts/index.ts';
import {
  type CheckedDocument,
  type Json,
  type RunStatus,
  type SubmitRun,
  TERMINAL,
  type WorkflowPin,
} from '../contract.ts';
import { runUnfinished } from '../errors.ts';
import type { RunRow } from './run-columns.ts';
import { readGiven } from './named-credentials.ts';
import { openEnv, openEnvelope, openFiles, openText, sealed } from './sealing.ts';
import { parseExact } from '../../schema/contract.ts';
import { triggerOf } from './run-rows.ts';

interface Scope {
  org_id: string;
  project_id: string;
  org: string;
  project: string;
}

const MADE_OF = [
  ...(['kind', 'status', 'subject', 'tags', 'trigger_fields', 'envelope', 'env', 'credentials', 'cancel_on'] as const),
  ...([
    'filename',
    'interpreter',
    'requires',
    'trusted',
    'generation',
    'parent',
    'workflow',
    'pin',
    'source_digest',
    'timeout_ms',
    'checkout',
  ] as const),
];
type SourceRow = Pick<RunRow, (typeof MADE_OF)[number]> & { source: string; files: string | null };

/** A finished run: what it was made of, and how it ended. */
export interface RerunSource {
  submit: SubmitRun;
  status: RunStatus;
}

/**
 * Everything that a run was made of except its idempotency key and its requester. Throws `not_found` and
 * `run_unfinished`.
 */
export async function submitOf(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  scope: Scope,
  run_id: string,
): Promise<RerunSource> {
  const [row] = await on.read<SourceRow>(
    `SELECT ${MADE_OF.map((column) => `r.${column}`).join(', ')}, s.source, s.files
     FROM runs_runs r JOIN runs_sources s ON s.project_id = r.project_id AND s.digest = r.source_digest
     WHERE r.run_id = ? AND r.org_id = ? AND r.project_id = ?`,
    [run_id, scope.org_id, scope.project_id],
  );
  if (!row) throw Errors.notFound(`no run ${run_id} in this project`);
  if (!TERMINAL.includes(row.status)) throw runUnfinished(`run ${run_id} is ${row.status}`);
  await sealer.prepare(scope.org_id);
  const at = { ...scope, run_id };
  const stored = parseExact(row.envelope) as {
    type: string;
    input?: Json;
    args?: string[];
    [field: string]: Json | undefined;
  };
  const envelope = openEnvelope(sealer, at, stored);
  const source = openText(sealer, sealed.source(scope, row.source_digest), row.source);
  const files = openFiles(sealer, scope, row.source_digest, row.files);
  const { input, args, ...rest } = envelope;
  const submit: SubmitRun = {
    ...scope,
    kind: row.kind,
    ...documentOf({ ...row, source }),
    filename: row.filename ?? undefined,
    interpreter: row.interpreter ?? undefined,
    subject: row.subject ?? undefined,
    parent: row.parent ?? undefined,
    credentials: readGiven(row.credentials),
    cancel_on: row.cancel_on === null ? undefined : (JSON.parse(row.cancel_on) as string[]),
    input,
    args,
    files: files.length === 0 ? undefined : files,
    ...(row.checkout !== null && { checkout: JSON.parse(row.checkout) as NonNullable<SubmitRun['checkout']> }),
    env: openEnv(sealer, at, row.env),
    tags: JSON.parse(row.tags) as string[],
    requires: JSON.parse(row.requires) as string[],
    trigger: triggerOf(row),
    envelope: rest as SubmitRun['envelope'] & object,
    // The first run's trigger is on the bus already, and must not start anything again.
    triggered: true,
    trusted: row.trusted === 1,
    generation: row.generation,
    // What an untrusted run had started had the time that was left to that run.
    timeout_ms: row.trusted === 0 && row.parent !== null ? undefined : (row.timeout_ms ?? undefined),
  };
  return { submit, status: row.status };
}

/** A stored document is the one that the first run had, whatever its name stands for by now. */
function documentOf({ source, workflow, pin }: SourceRow): Pick<CheckedDocument, 'source' | 'pinned'> {
  return pin === null ? { source } : { pinned: { source, workflow, pin: JSON.parse(pin) as WorkflowPin } };
}
