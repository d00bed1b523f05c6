import {
  type Param,
  distinct,
  inList,
  chunks,
  Errors,
  type Transaction,
  type Queries,
  BoundedMap,
  type Sealer,
  type Database,
} from '../../../../../kernel/contracts/index.ts';
import {
  type NewRun,
  type RunStatus,
  type ActivityContext,
  type Trigger,
  TERMINAL,
  type RunWork,
  type Claimed,
  type OpenRuns,
  type RunOrigins,
  type WorkObserver,
  type EnvelopeSource,
  type Run,
  type InstantClaimer,
  MAX_RUN_DEPTH,
} from '../../contract.ts';
import { originOf } from '../../domain/origin.ts';
import { parseExact } from '../../../../platform/schema/contract.ts';
import { envelopeGone } from '../../errors.ts';
import { openEnvelope, openEnv } from './sealing.ts';

/** A run about to be inserted. */
export interface Submission {
  run: NewRun;
  trusted: boolean;
  key_digest: string | null;
  source_digest: string;
  lanes: string[];
  /** What the run is given, as it is stored. */
  envelope: string;
  env: string;
  /** What started it, as `encodeTrace` writes it. */
  trace: string | null;
  /** Set when the run was sent to the database: a run that is found with its id is then this one, and no duplicate. */
  attempted: boolean;
  /** The claimers of its activities, where they are known before the run is inserted: it begins with the first of them. */
  claimers?: readonly (InstantClaimer | undefined)[] | undefined;
  /** The status of a coordinated run after the transaction that created it. */
  status?: RunStatus | undefined;
  /** The record of a run that has ended in the transaction that created it. */
  ended?: Run | undefined;
}

/** A row of `runs_runs` as drivers return it. Every statement on runs takes its columns and types from here. */
export interface RunRow {
  run_id: string;
  org_id: string;
  project_id: string;
  org: string;
  project: string;
  kind: string;
  workflow_type: string | null;
  workflow: string;
  status: RunStatus;
  subject: string | null;
  /** JSON, like `trigger_fields`. */
  tags: string;
  trigger_fields: string;
  /** JSON with a sealed part. */
  envelope: string;
  /** Sealed, unless it is empty. */
  env: string;
  /** JSON, or null when there is none: runs with credentials are found by it. */
  credentials: string | null;
  cancel_on: string | null;
  filename: string | null;
  interpreter: string | null;
  /** JSON. */
  requires: string;
  source_digest: string;
  trusted: number;
  generation: number;
  parent: string | null;
  rerun_of: string | null;
  submitted_by: string | null;
  key_digest: string | null;
  next_seq: number;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  output: Buffer | null;
  error_code: string | null;
  error_message: string | null;
  cancel_reason: string | null;
  cancelled_by: string | null;
  /** The coordinator of the run; null: none. */
  coordinator: string | null;
  /** JSON: the stored document it was made of; null: the document was given as it is. */
  pin: string | null;
  /** The subject, and what started the run, as they are found by. */
  subject_bytes: Buffer | null;
  trigger_type: string | null;
  trigger_name: string | null;
  trigger_event: string | null;
  /** Counted from its submit; null: no timeout. */
  timeout_ms: number | null;
  /** JSON: the repository that the submit asked for; null: none. */
  checkout: string | null;
  /** The span that started it; null: its trace is its own, or nobody traced it. */
  trace: string | null;
  /** Null for a run that is not paused. */
  paused_at: number | null;
  /** JSON: who has paused it and why. */
  pause: string | null;
  /** JSON: the group of its submit; null: none. */
  concurrency: string | null;
  /** From 1 on; null: 0. Read it as `PRIORITY`. */
  priority: number | null;
}

type Column = keyof RunRow;

/** True for a run that is inserted as one that has started, because an activity of it is claimed. */
export const beginsAtOnce = ({ claimers = [] }: Pick<Submission, 'claimers'>): boolean =>
  claimers.some((claimer) => claimer !== undefined);

/** The value of each column that a new run sets. */
const INSERTED: Partial<Record<Column, (submission: Submission, now: number) => Param>> = {
  run_id: ({ run }) => run.run_id,
  org_id: ({ run }) => run.org_id,
  project_id: ({ run }) => run.project_id,
  org: ({ run }) => run.org,
  project: ({ run }) => run.project,
  kind: ({ run }) => run.kind,
  workflow: ({ run }) => run.workflow,
  status: (submission) => (beginsAtOnce(submission) ? 'running' : 'queued'),
  subject: ({ run }) => run.subject ?? null,
  tags: ({ run }) => JSON.stringify(run.tags ?? []),
  trigger_fields: ({ run }) => JSON.stringify(run.trigger),
  envelope: ({ envelope }) => envelope,
  env: ({ env }) => env,
  credentials: ({ run }) => jsonUnlessEmpty(mergeCredentials(run.credentials, run.named)),
  filename: ({ run }) => run.filename ?? null,
  interpreter: ({ run }) => run.interpreter ?? null,
  requires: ({ run }) => JSON.stringify(run.requires ?? []),
  source_digest: ({ source_digest }) => source_digest,
  trusted: ({ trusted }) => (trusted ? 1 : 0),
  generation: ({ run }) => run.generation,
  parent: ({ run }) => run.parent ?? null,
  submitted_by: ({ run }) => run.submitted_by ?? null,
  key_digest: ({ key_digest }) => key_digest,
  next_seq: () => 0,
  created_at: (_, now) => now,
  started_at: (submission, now) => (beginsAtOnce(submission) ? now : null),
  cancel_on: ({ run }) => jsonUnlessEmpty(run.cancel_on),
  workflow_type: ({ run }) => run.workflow_type ?? null,
  coordinator: ({ run }) => run.coordination?.by ?? null,
  pin: ({ run }) => (run.pin === undefined ? null : JSON.stringify(run.pin)),
  subject_bytes: ({ run }) => (run.subject === undefined ? null : Buffer.from(run.subject)),
  trigger_type: ({ run }) => originOf(run.trigger).type,
  trigger_name: ({ run }) => originOf(run.trigger).name,
  trigger_event: ({ run }) => originOf(run.trigger).event,
  timeout_ms: ({ run }) => run.timeout_ms ?? null,
  checkout: ({ run }) => (run.checkout === undefined ? null : JSON.stringify(run.checkout)),
  trace: ({ trace }) => trace,
  paused_at: ({ run }, now) => (run.paused === undefined ? null : now),
  pause: ({ run }) => (run.paused === undefined ? null : JSON.stringify(run.paused)),
  concurrency: ({ run }) => (run.concurrency === undefined ? null : JSON.stringify(run.concurrency)),
  priority: ({ run, trusted }) => (trusted && run.priority) || null,
};

const jsonUnlessEmpty = (value: object | undefined): string | null =>
  value === undefined || Object.keys(value).length === 0 ? null : JSON.stringify(value);

export const INSERTED_COLUMNS = Object.keys(INSERTED);
const VALUES = Object.values(INSERTED);

/** In the order of `INSERTED_COLUMNS`. */
export const insertedRow = (submission: Submission, now: number): Param[] =>
  VALUES.map((value) => value(submission, now));

/** The columns that transitions read, for a run that was just inserted. */
export function newRunRow(submission: Submission): LockedRun {
  const values = LOCKED.map((column) => [column, INSERTED[column]!(submission, 0)] as const);
  return Object.fromEntries(values) as unknown as LockedRun;
}

const pickColumns = <C extends Column>(...names: C[]): readonly C[] => names;

/** The columns that transitions read under the run's lock. */
const LOCKED = pickColumns(
  ...(['run_id', 'org_id', 'project_id', 'org', 'project', 'workflow', 'status', 'subject', 'tags'] as const),
  ...([
    'trigger_fields',
    'trusted',
    'generation',
    'next_seq',
    'coordinator',
    'trigger_name',
    'trace',
    'paused_at',
  ] as const),
  'priority',
);
export type LockedRun = Pick<RunRow, (typeof LOCKED)[number]>;
/** Past the large columns of a row, which SQLite would read first: few runs have one, and an index lists these. */
export const PRIORITY = `(SELECT p.priority FROM runs_runs p WHERE p.run_id = runs_runs.run_id
  AND p.priority IS NOT NULL) AS priority`;
export const LOCKED_COLUMNS = LOCKED.map((column) => (column === 'priority' ? PRIORITY : column)).join(', ');

/** The columns of a run record. */
const VIEWED = pickColumns(
  ...(['run_id', 'org_id', 'project_id', 'kind', 'workflow_type', 'workflow', 'status', 'subject', 'tags'] as const),
  ...(['trigger_fields', 'trusted', 'generation', 'parent', 'rerun_of', 'created_at', 'started_at'] as const),
  ...(['finished_at', 'output', 'error_code', 'error_message', 'cancel_reason', 'cancelled_by'] as const),
  ...(['cancel_on', 'requires', 'credentials', 'timeout_ms', 'trace', 'paused_at', 'pause'] as const),
);
export interface ViewedRun extends Pick<RunRow, (typeof VIEWED)[number]> {
  /** Bytes of the sealed output, whether it was read or not; in a list null also for one that an older version stored. */
  output_bytes: number | null;
  /** 1 when activities of the run have written notes. */
  noted: number;
  priority: number | null;
}
const NOTED = `EXISTS (SELECT 1 FROM runs_annotations WHERE runs_annotations.run_id = runs_runs.run_id) AS noted`;
const DERIVED = `LENGTH(output) AS output_bytes, ${NOTED}, ${PRIORITY}`;

/** The columns of a whole record. */
export const VIEWED_COLUMNS = [...VIEWED, DERIVED].join(', ');

const outputUpTo = (bytes: number): string => `CASE WHEN LENGTH(output) <= ${bytes} THEN output END AS output`;
const withOutput = (output: string, column: (column: Column) => string = String, facts = DERIVED): string =>
  [...VIEWED.map((one) => (one === 'output' ? output : column(one))), facts].join(', ');
/** MySQL reads an output to tell its length. */
const withoutOutput = (column?: (column: Column) => string): string =>
  withOutput('NULL AS output', column, `NULL AS output_bytes, ${NOTED}, ${PRIORITY}`);

/** Bytes of a sealed output that takes milliseconds to open and to parse. */
export const LARGE_OUTPUT_BYTES = 256 * 1024;
/** The whole record, unless its output is large. */
export const MODERATE_COLUMNS = withOutput(outputUpTo(LARGE_OUTPUT_BYTES));

/** An output that is not large, alone. */
export const MODERATE_OUTPUT = outputUpTo(LARGE_OUTPUT_BYTES);

/** Bytes of a sealed output that a list shows, and characters of a message or reason. */
export const LISTED_OUTPUT_BYTES = 4096;
export const LISTED_TEXT_LENGTH = 1000;
const LONG_TEXTS: readonly Column[] = ['error_message', 'cancel_reason'];
const listedColumn = (column: Column): string => {
  if (LONG_TEXTS.includes(column)) return `SUBSTR(${column}, 1, ${LISTED_TEXT_LENGTH + 1}) AS ${column}`;
  return column;
};
/** The columns of a record as lists show it: without its output, and with the beginning of long texts. */
export const LISTED_COLUMNS = withOutput('NULL AS output', listedColumn, `output_bytes, ${NOTED}, ${PRIORITY}`);
/** The output that a list shows of such a row, and its length. */
export const LISTED_OUTPUT = `LENGTH(output) AS output_bytes, ${outputUpTo(LISTED_OUTPUT_BYTES)}`;
/** MySQL reads an output to tell its length: of these it is known, and too large for a list. */
export const isLargeInList = ({ output_bytes }: Pick<ViewedRun, 'output_bytes'>): boolean =>
  output_bytes !== null && Number(output_bytes) > LISTED_OUTPUT_BYTES;
/** The same without outputs. */
export const RECORD_COLUMNS = withoutOutput(listedColumn);
export const WHOLE_RECORD_COLUMNS = withoutOutput();
/** The texts of callers in a record, which decide how many records fit on a page: some bytes more or less do not matter. */
export const RECORD_BYTES = [
  'tags',
  'trigger_fields',
  'requires',
  'credentials',
  'cancel_on',
  'error_message',
  'cancel_reason',
]
  .map((column) => `COALESCE(OCTET_LENGTH(r.${column}), 0)`)
  .join(' + ');

/** True for a run of which nothing new starts. */
export const isPaused = (run: Pick<RunRow, 'paused_at'>): boolean => run.paused_at !== null;

export const isTerminal = (run: { status: RunStatus }): boolean => TERMINAL.includes(run.status);

/** How rows of runs are locked. */
export const RUN = { table: 'runs_runs', key: ['run_id'] } as const;

export const tagsOf = (run: Pick<LockedRun, 'tags'>): string[] => JSON.parse(run.tags) as string[];
export const triggerOf = (run: Pick<LockedRun, 'trigger_fields'>): Trigger => parseExact(run.trigger_fields) as Trigger;

export const runNotFound = (run_id: string) => Errors.notFound(`there is no run ${run_id}`);

/** Locks a run's row: the first lock of every transition except appends, logs and renewals. */
export async function lockRun(tx: Transaction, run_id: string): Promise<LockedRun> {
  const rows = { ...RUN, columns: LOCKED_COLUMNS, where: 'run_id = ?', params: [run_id] };
  const [run] = await tx.lock<LockedRun>(rows);
  if (!run) throw runNotFound(run_id);
  return run;
}

/** Reads rows of runs without a lock, for columns that never change. */
export async function readRunRows(on: Pick<Transaction, 'read'>, run_ids: readonly string[]): Promise<LockedRun[]> {
  const list = inList(run_ids);
  return on.read<LockedRun>(
    `SELECT ${LOCKED_COLUMNS} FROM runs_runs WHERE run_id IN ${list.placeholders}`,
    list.params,
  );
}

/** Locks a run for a caller from outside, who must name its org and project correctly. */
export async function lockRunOf(
  tx: Transaction,
  scope: { org_id: string; project_id: string; run_id: string },
): Promise<LockedRun> {
  const [run] = await tx.lock<LockedRun>({
    ...RUN,
    columns: LOCKED_COLUMNS,
    where: 'run_id = ? AND org_id = ? AND project_id = ?',
    params: [scope.run_id, scope.org_id, scope.project_id],
  });
  if (!run) throw runNotFound(scope.run_id);
  return run;
}

/** Locks runs in byte order of their ids; with `skip`, only those that nobody else holds. */
export async function lockRuns<Row = LockedRun>(
  tx: Transaction,
  run_ids: readonly string[],
  options: { skip?: boolean; columns?: string } = {},
): Promise<Map<string, Row>> {
  const locked = new Map<string, Row>();
  for (const ids of chunks(distinct(run_ids, (id) => id))) {
    const list = inList(ids);
    const rows = await tx.lock<Row & { run_id: string }>({
      ...RUN,
      columns: options.columns ?? LOCKED_COLUMNS,
      where: `run_id IN ${list.placeholders}`,
      params: list.params,
      skip_locked: options.skip ?? false,
    });
    for (const row of rows) locked.set(row.run_id, row);
  }
  return locked;
}

export function toActivityContext(run: LockedRun, activity_id: string): ActivityContext {
  const { org_id, project_id, run_id, subject, generation } = run;
  return {
    org_id,
    project_id,
    run_id,
    activity_id,
    subject,
    generation,
    trusted: run.trusted === 1,
    paused: isPaused(run),
    priority: run.priority ?? 0,
  };
}

/** Takes the run's next sequence number; its row must be locked. */
export async function takeSeq(tx: Transaction, run: LockedRun): Promise<number> {
  await writeExactly(tx, 1, 'UPDATE runs_runs SET next_seq = next_seq + 1 WHERE run_id = ?', [run.run_id]);
  tx.skipConflictGuard(RUN.table, [[run.run_id]]);
  const seq = run.next_seq;
  run.next_seq += 1;
  return seq;
}

/** The status that follows from the activities of a started run. */
export interface NextStatus {
  status: 'running' | 'waiting';
  /** True while an activity is pending or claimed: while a script waits, its children may be. */
  working: boolean;
}

const NEXT_STATUS: Readonly<Record<string, NextStatus>> = {
  running: { status: 'running', working: true },
  attended: { status: 'waiting', working: true },
  waiting: { status: 'waiting', working: false },
};

/** Reads the next status of a started run. Undefined when it ends. Its row must be locked. */
export const readNextStatus = async (tx: Pick<Transaction, 'read'>, run_id: string): Promise<NextStatus | undefined> =>
  (await readNextStatuses(tx, [run_id])).get(run_id);

/** Activities of the run `r`. */
const OF_RUN = 'SELECT 1 FROM runs_activities a WHERE a.run_id = r.run_id';
const OWN = `${OF_RUN} AND a.parent IS NULL`;
/** Each query looks for one row: a run may have thousands of open activities. */
const NEXT_STATUS_OF_RUN = `CASE
  WHEN EXISTS (${OWN} AND a.state = 'claimed') OR EXISTS (${OWN} AND a.state = 'pending') THEN 'running'
  WHEN EXISTS (${OWN} AND a.state = 'parked')
    THEN CASE WHEN EXISTS (${OF_RUN} AND a.state IN ('pending', 'claimed')) THEN 'attended' ELSE 'waiting' END
  WHEN EXISTS (${OF_RUN} AND a.state IN ('pending', 'claimed', 'parked')) THEN 'running' END AS next_status`;

interface NextStatusRow {
  run_id: string;
  next_status: string | null;
}

const toNextStatuses = (rows: readonly NextStatusRow[]): Map<string, NextStatus> =>
  new Map(
    rows.flatMap(({ run_id, next_status }) => (next_status === null ? [] : [[run_id, NEXT_STATUS[next_status]!]])),
  );

/** The same for up to 128 runs. Leaves out those that end. */
export async function readNextStatuses(
  tx: Pick<Transaction, 'read'>,
  run_ids: readonly string[],
): Promise<Map<string, NextStatus>> {
  const list = inList(run_ids);
  const rows = await tx.read<NextStatusRow>(
    `SELECT r.run_id, ${NEXT_STATUS_OF_RUN} FROM runs_runs r WHERE r.run_id IN ${list.placeholders}`,
    list.params,
  );
  return toNextStatuses(rows);
}

/**
 * The same after these activities, one of each run, have ended. `single` are the runs that have no other activity of their own,
 * so that its result is that of the run.
 */
export async function readStatusesAfter(
  tx: Pick<Transaction, 'read'>,
  ended: readonly { run_id: string; activity_id: string }[],
): Promise<{ next: Map<string, NextStatus>; single: ReadonlySet<string> }> {
  const runs = inList(ended.map(({ run_id }) => run_id));
  const activities = inList(ended.map(({ activity_id }) => activity_id));
  const rows = await tx.read<NextStatusRow & { has_others: number }>(
    `SELECT r.run_id, ${NEXT_STATUS_OF_RUN},
       EXISTS (${OWN} AND a.activity_id NOT IN ${activities.placeholders}) AS has_others
     FROM runs_runs r WHERE r.run_id IN ${runs.placeholders}`,
    [...activities.params, ...runs.params],
  );
  const single = rows.filter(({ has_others }) => Number(has_others) === 0).map(({ run_id }) => run_id);
  return { next: toNextStatuses(rows), single: new Set(single) };
}

/** Sets the status of a started run; does nothing when it has it already. */
export async function setStatus(tx: Transaction, run: LockedRun, status: RunStatus): Promise<void> {
  if (run.status === status) return;
  // A wait that ended in this transaction may have set it already.
  await writeExactly(tx, 1, `UPDATE runs_runs SET status = ? WHERE run_id = ? AND status IN ('running', 'waiting')`, [
    status,
    run.run_id,
  ]);
  tx.skipConflictGuard(RUN.table, [[run.run_id]]);
  run.status = status;
}

/** A guarded write under a lock. Another row count means that the lock was not kept, and the transaction must not commit. */
export async function writeExactly(
  tx: Transaction,
  count: number,
  statement: string,
  params: readonly Param[],
): Promise<void> {
  assertCount(count, await tx.write(statement, params), statement);
}

/** The same for a count that is known already. */
export function assertCount(count: number, changed: number, what: string): void {
  if (changed !== count) throw new Error(`${changed} rows changed instead of ${count}: ${what}`);
}

/** A run whose row is locked, and whether something of it is queued or running. */
export interface WorkChange {
  run: Pick<LockedRun, 'run_id' | 'org_id' | 'project_id' | 'trigger_name'>;
  working: boolean;
}

/** Notifies the observers of the runs' triggers. Costs nothing for the runs of any other trigger. */
export async function notifyWorkObservers(
  tx: Transaction,
  { work_observers }: { work_observers: readonly WorkObserver[] },
  changes: readonly WorkChange[],
): Promise<void> {
  for (const observer of work_observers) {
    const concerned = changes.filter(({ run }) => observer.concerns(run.trigger_name));
    if (concerned.length > 0) await observer.onWork(tx, concerned.map(toRunWork));
  }
}

const toRunWork = ({ run: { run_id, org_id, project_id }, working }: WorkChange): RunWork => ({
  run_id,
  org_id,
  project_id,
  working,
});

/**
 * Opens a stored envelope, and reads the input that it may only refer to, because the content of an event is stored once. In a
 * transaction, `on` is that transaction. The org's keys must be ready.
 */
export async function resolveEnvelope(
  store: { envelope_sources: readonly EnvelopeSource[]; sealer: Sealer },
  { envelope: stored, ...run }: Pick<Claimed, 'envelope' | 'run_id' | 'org_id' | 'project_id'>,
  on?: Pick<Queries, 'read'>,
): Promise<Claimed['envelope']> {
  return resolveReference(store, openEnvelope(store.sealer, run, stored), run, on);
}

/** Reads the input that an opened envelope may refer to. */
export async function resolveReference(
  store: { envelope_sources: readonly EnvelopeSource[] },
  envelope: Claimed['envelope'],
  { org_id, project_id }: Pick<Claimed, 'org_id' | 'project_id'>,
  on?: Pick<Queries, 'read'>,
): Promise<Claimed['envelope']> {
  const { $ref: reference, ...own } = envelope;
  if (typeof reference !== 'string') return envelope;
  const scheme = reference.slice(0, reference.indexOf(':'));
  const source = store.envelope_sources.find((candidate) => candidate.scheme === scheme);
  if (!source) throw envelopeGone(`no plugin stores what ${reference} refers to`);
  return { ...own, ...(await source.read({ org_id, project_id }, reference.slice(scheme.length + 1), on)) };
}

type CredentialNames = Readonly<Record<string, string>>;

/** Documents name credentials at pointers, which begin with a slash; submits name them for variables, which cannot. */
const DOCUMENT_POINTER = /^\//;

/** The stored credentials of a run: those of its submit, and those that its document names. */
export const mergeCredentials = (
  submitted: CredentialNames = {},
  named: CredentialNames = {},
): Record<string, string> => ({
  ...named,
  ...submitted,
});

/** The names of all credentials and accounts of a run. */
export const credentialNames = (column: string | null): string[] =>
  column === null ? [] : [...new Set(Object.values(JSON.parse(column) as CredentialNames))];

/** The credentials of the submit, which become variables. */
export function submittedCredentials(column: string | null): Record<string, string> | undefined {
  if (column === null) return undefined;
  const all = Object.entries(JSON.parse(column) as CredentialNames).filter(([name]) => !DOCUMENT_POINTER.test(name));
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** What a job's environment needs besides its claim; it never changes. */
export interface RunEnvironment {
  subject: string | null;
  generation: number;
  env: Record<string, string>;
  credentials: Record<string, string>;
}

export type RunEnvironmentRow = Pick<
  RunRow,
  'run_id' | 'org_id' | 'project_id' | 'subject' | 'generation' | 'env' | 'credentials'
>;

/** The org's keys must be ready. Throws `sealed_value_unreadable`. */
export function openRunEnvironment(sealer: Sealer, row: RunEnvironmentRow): RunEnvironment {
  const { org_id, project_id, run_id, subject, generation, env, credentials } = row;
  const own = openEnv(sealer, { org_id, project_id, run_id }, env);
  return { subject, generation, env: own, credentials: submittedCredentials(credentials) ?? {} };
}

/** More than there are claims whose environments are being made. */
const MAX_ENVIRONMENTS = 256;

/** Environments that were read together with a claim. They hold variables of the run, so each is handed out only once. */
export class RunEnvironments {
  readonly #environments = new BoundedMap<string, RunEnvironment>(MAX_ENVIRONMENTS);

  set(run_id: string, environment: RunEnvironment): void {
    this.#environments.set(run_id, environment);
  }

  take(run_id: string): RunEnvironment | undefined {
    const environment = this.#environments.get(run_id);
    this.#environments.delete(run_id);
    return environment;
  }
}

const OPEN_RUNS_PAGE = 500;
export const OPEN_STATUSES = ['queued', 'running', 'waiting'];

/** Counts up to `most`; the index of statuses answers. */
export async function countOpenRuns(on: Pick<Queries, 'read'>, project_id: string, most: number): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM runs_runs WHERE project_id = ?
     AND status IN ('queued', 'running', 'waiting') LIMIT ${Math.trunc(most)}) counted`,
    [project_id],
  );
  return Number(row!.n);
}

/** Read in pages: a project may have very many waiting runs. */
export function createOpenRuns(database: Pick<Database, 'read'>): OpenRuns {
  return {
    async references(project_id, scheme) {
      const references = new Set<string>();
      for (const status of OPEN_STATUSES)
        for (let after = ''; ; ) {
          const rows = await database.read<{ run_id: string; envelope: string }>(
            `SELECT run_id, envelope FROM runs_runs WHERE project_id = ? AND status = ? AND run_id > ?
             ORDER BY run_id LIMIT ${OPEN_RUNS_PAGE}`,
            [project_id, status, after],
          );
          for (const { envelope } of rows) addReference(references, envelope, `${scheme}:`);
          if (rows.length < OPEN_RUNS_PAGE) break;
          after = rows.at(-1)!.run_id;
        }
      return references;
    },
  };
}

function addReference(references: Set<string>, envelope: string, prefix: string): void {
  const { $ref } = JSON.parse(envelope) as { $ref?: unknown };
  if (typeof $ref === 'string' && $ref.startsWith(prefix)) references.add($ref.slice(prefix.length));
}

/** Reads one row for each level; there are at most `MAX_RUN_DEPTH` above a run. */
export const runOrigins: RunOrigins = {
  async eventOf(on, project_id, run_id) {
    let above: string | null = run_id;
    for (let depth = 0; above !== null && depth <= MAX_RUN_DEPTH; depth++) {
      const rows: { trigger_event: string | null; parent: string | null }[] = await on.read(
        'SELECT trigger_event, parent FROM runs_runs WHERE run_id = ? AND project_id = ?',
        [above, project_id],
      );
      const [row] = rows;
      if (row?.trigger_event) return row.trigger_event;
      above = row?.parent ?? null;
    }
    return undefined;
  },
};
