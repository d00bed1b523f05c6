import {
  type Queries,
  Errors,
  type Sealer,
  type Transaction,
  chunks,
  inList,
} from '../../../../../kernel/contracts/index.ts';
import {
  type CheckedDocument,
  type Json,
  type RunStatus,
  type SubmitRun,
  TERMINAL,
  type WorkflowPin,
  type CopiedPrefix,
  type RecordedSite,
  type KeptRecord,
  type KeptResults,
} from '../../contract.ts';
import { runUnfinished } from '../../errors.ts';
import { type RunRow, submittedCredentials, triggerOf, writeExactly } from '../rows/runs.ts';
import { openEnv, openEnvelope, openFiles, openText, sealContext } from '../rows/sealing.ts';
import { parseExact } from '../../../../platform/schema/contract.ts';
import { findPageEnd, insertSealedRecords, readRecords, sealRecord } from '../rows/journal.ts';

interface NamedScope {
  org_id: string;
  project_id: string;
  org: string;
  project: string;
}

const SOURCE_COLUMNS = [
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
    'priority',
    'concurrency',
  ] as const),
];
type SourceRow = Pick<RunRow, (typeof SOURCE_COLUMNS)[number]> & { source: string; files: string | null };

/** A finished run: the submit that would create it again, and how it ended. */
export interface RerunSource {
  submit: SubmitRun;
  status: RunStatus;
}

/**
 * Reads the submit that would create a run again, without its idempotency key and its requester. Throws `not_found` and
 * `run_unfinished`.
 */
export async function readRerunSource(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  scope: NamedScope,
  run_id: string,
): Promise<RerunSource> {
  const [row] = await on.read<SourceRow>(
    `SELECT ${SOURCE_COLUMNS.map((column) => `r.${column}`).join(', ')}, s.source, s.files
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
  const source = openText(sealer, sealContext.source(scope, row.source_digest), row.source);
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
    credentials: submittedCredentials(row.credentials),
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
    priority: row.priority ?? undefined,
    concurrency: row.concurrency === null ? undefined : (JSON.parse(row.concurrency) as SubmitRun['concurrency']),
    // The first run's trigger is on the bus already, and must not start anything again.
    triggered: true,
    trusted: row.trusted === 1,
    generation: row.generation,
    // A run that an untrusted one had started had only the time that was left to that one.
    timeout_ms: row.trusted === 0 && row.parent !== null ? undefined : (row.timeout_ms ?? undefined),
  };
  return { submit, status: row.status };
}

/** The document that the first run had, whatever its name refers to by now. */
function documentOf({ source, workflow, pin }: SourceRow): Pick<CheckedDocument, 'source' | 'pinned'> {
  return pin === null ? { source } : { pinned: { source, workflow, pin: JSON.parse(pin) as WorkflowPin } };
}

/** How many records are in memory at a time; fewer when their outputs are large. */
const RECORDS_AT_ONCE = 64;

/** Reads the activities of a run that are no children. */
export async function readOwnActivities(on: Pick<Queries, 'read'>, run_id: string): Promise<string[]> {
  const rows = await on.read<{ activity_id: string }>(
    'SELECT activity_id FROM runs_activities WHERE run_id = ? AND parent IS NULL',
    [run_id],
  );
  return rows.map(({ activity_id }) => activity_id);
}

export const markRerun = (tx: Transaction, run_id: string, rerun_of: string): Promise<void> =>
  writeExactly(tx, 1, 'UPDATE runs_runs SET rerun_of = ? WHERE run_id = ?', [rerun_of, run_id]);

/** Reads a journal without its outcomes. */
export function readSites(
  on: Pick<Queries, 'read'>,
  at: { run_id: string; activity_id: string },
): Promise<RecordedSite[]> {
  return on.read<RecordedSite>(
    `SELECT position, kind, name, ordinal, exit_code FROM runs_journal WHERE run_id = ? AND activity_id = ?
     ORDER BY position`,
    [at.run_id, at.activity_id],
  );
}

/** Reads the executor of an activity that is no child. Undefined when the run has no such activity. */
export async function readExecutor(
  on: Pick<Queries, 'read'>,
  at: { run_id: string; activity_id: string },
): Promise<string | undefined> {
  const [row] = await on.read<{ executor: string }>(
    'SELECT executor FROM runs_activities WHERE activity_id = ? AND run_id = ? AND parent IS NULL',
    [at.activity_id, at.run_id],
  );
  return row?.executor;
}

/** Marks an unclaimed activity that gets a journal. It counts as one pass, so that the next claim gets the records. */
export const markResumed = (tx: Transaction, activity_id: string): Promise<void> =>
  writeExactly(
    tx,
    1,
    `UPDATE runs_activities SET epoch = 1, passes = 1 WHERE activity_id = ? AND state = 'pending' AND epoch = 0`,
    [activity_id],
  );

/** Copies the records of a prefix into the journal of an unclaimed activity, and seals them for it. */
export async function copyRecords(tx: Transaction, sealer: Sealer, prefix: CopiedPrefix): Promise<void> {
  const { org_id, project_id, from, to, records } = prefix;
  const source = { org_id, project_id, ...from };
  const target = { org_id, project_id, ...to };
  for (let first = 0, last = 0; first < records.length; first = last + 1) {
    last = await findPageEnd(tx, source, first, Math.min(first + RECORDS_AT_ONCE, records.length) - 1);
    const read = await readRecords(tx, sealer, source, first, last);
    const sealed = read.map(({ record }) => sealRecord(sealer, target, 1, record));
    const inserted = await insertSealedRecords(tx, sealed, (index) => read[index]!.recorded_at);
    if (inserted !== last - first + 1)
      throw new Error(`only ${inserted} records from position ${first} on were copied`);
  }
}

type RepeatedJobs = KeptResults['redone'];

/** Reads the records of these verbs in jobs that a rerun does not repeat. */
export async function readReusedRecords(
  on: Transaction,
  run_id: string,
  kinds: readonly string[],
  redone: RepeatedJobs,
): Promise<KeptRecord[]> {
  const { placeholders, params } = inList(kinds);
  const rows = await on.read<KeptRecord>(
    `SELECT j.activity_id, a.name AS job, j.position, j.kind, j.name, j.ordinal, j.exit_code FROM runs_journal j
     JOIN runs_activities a ON a.activity_id = j.activity_id
     WHERE j.run_id = ? AND j.kind IN ${placeholders} ORDER BY j.activity_id, j.position`,
    [run_id, ...params],
  );
  return withoutRepeated(on, rows, redone);
}

async function withoutRepeated<Row extends { activity_id: string }>(
  on: Transaction,
  rows: readonly Row[],
  redone: RepeatedJobs,
): Promise<Row[]> {
  const repeated = new Set<string>();
  const ids = new Set(rows.map(({ activity_id }) => activity_id));
  for (const chunk of chunks([...ids])) for (const id of await redone(on, chunk)) repeated.add(id);
  return rows.filter(({ activity_id }) => !repeated.has(activity_id));
}
