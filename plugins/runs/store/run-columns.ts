import type { Param } from '../../../kernel/contracts/index.ts';
import type { NewRun, RunStatus } from '../contract.ts';
import { originOf } from '../domain/origin.ts';
import { writeNamed } from './named-credentials.ts';

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
  /** What started it, as `keptTrace` writes it. */
  trace: string | null;
  /** Set when the run was passed to the database: found again, it is this run and not a duplicate. */
  attempted: boolean;
  /** The result of a coordinated run in the transaction that created it. */
  status?: RunStatus;
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
  /** JSON, like the next. */
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
  /** From its submit; null: it may take for ever. */
  timeout_ms: number | null;
  /** JSON: the repository that the submit asked for; null: none. */
  checkout: string | null;
  /** The span that started it; null: its trace is its own, or nobody traced it. */
  trace: string | null;
}

type Column = keyof RunRow;

/** The value of each column that a new run sets. */
const INSERTED: Partial<Record<Column, (submission: Submission, now: number) => Param>> = {
  run_id: ({ run }) => run.run_id,
  org_id: ({ run }) => run.org_id,
  project_id: ({ run }) => run.project_id,
  org: ({ run }) => run.org,
  project: ({ run }) => run.project,
  kind: ({ run }) => run.kind,
  workflow: ({ run }) => run.workflow,
  status: () => 'queued',
  subject: ({ run }) => run.subject ?? null,
  tags: ({ run }) => JSON.stringify(run.tags ?? []),
  trigger_fields: ({ run }) => JSON.stringify(run.trigger),
  envelope: ({ envelope }) => envelope,
  env: ({ env }) => env,
  credentials: ({ run }) => jsonUnlessEmpty(writeNamed(run.credentials, run.named)),
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
};

const jsonUnlessEmpty = (value: object | undefined): string | null =>
  value === undefined || Object.keys(value).length === 0 ? null : JSON.stringify(value);

export const INSERTED_COLUMNS = Object.keys(INSERTED);
const VALUES = Object.values(INSERTED);

/** In the order of `INSERTED_COLUMNS`. */
export const insertedRow = (submission: Submission, now: number): Param[] =>
  VALUES.map((value) => value(submission, now));

/** What transitions read of a run, of one that was just inserted. */
export function newRunRow(submission: Submission): LockedRun & Pick<RunRow, 'envelope'> {
  const values = [...LOCKED, 'envelope' as const].map((column) => [column, INSERTED[column]!(submission, 0)] as const);
  return Object.fromEntries(values) as LockedRun & Pick<RunRow, 'envelope'>;
}

const columns = <C extends Column>(...names: C[]): readonly C[] => names;

/** The columns that transitions read under the run's lock. */
const LOCKED = columns(
  ...(['run_id', 'org_id', 'project_id', 'org', 'project', 'workflow', 'status', 'subject', 'tags'] as const),
  ...(['trigger_fields', 'trusted', 'generation', 'next_seq', 'coordinator', 'trigger_name', 'trace'] as const),
);
export type LockedRun = Pick<RunRow, (typeof LOCKED)[number]>;
export const LOCKED_COLUMNS = LOCKED.join(', ');

/** The columns of a run record. */
const VIEWED = columns(
  ...(['run_id', 'org_id', 'project_id', 'kind', 'workflow_type', 'workflow', 'status', 'subject', 'tags'] as const),
  ...(['trigger_fields', 'trusted', 'generation', 'parent', 'rerun_of', 'created_at', 'started_at'] as const),
  ...(['finished_at', 'output', 'error_code', 'error_message', 'cancel_reason', 'cancelled_by'] as const),
  ...(['cancel_on', 'requires', 'credentials', 'timeout_ms', 'trace'] as const),
);
export interface ViewedRun extends Pick<RunRow, (typeof VIEWED)[number]> {
  /** Bytes of the sealed output, whether it was read or not; in a list null also for one that an older version stored. */
  output_bytes: number | null;
  /** 1 when activities of the run have written notes. */
  noted: number;
}
const NOTED = `EXISTS (SELECT 1 FROM runs_annotations WHERE runs_annotations.run_id = runs_runs.run_id) AS noted`;
const FACTS = `LENGTH(output) AS output_bytes, ${NOTED}`;

/** The whole record. */
export const VIEWED_COLUMNS = [...VIEWED, FACTS].join(', ');

const outputUpTo = (bytes: number): string => `CASE WHEN LENGTH(output) <= ${bytes} THEN output END AS output`;
const withOutput = (output: string, column: (column: Column) => string = String, facts = FACTS): string =>
  [...VIEWED.map((one) => (one === 'output' ? output : column(one))), facts].join(', ');
/** MySQL reads an output to tell its length. */
const withoutOutput = (column?: (column: Column) => string): string =>
  withOutput('NULL AS output', column, `NULL AS output_bytes, ${NOTED}`);

/** Bytes of a sealed output that takes milliseconds to open and to parse. */
export const LARGE_OUTPUT_BYTES = 256 * 1024;
/** The whole record, unless its output is large. */
export const MODERATE_COLUMNS = withOutput(outputUpTo(LARGE_OUTPUT_BYTES));

/** Bytes of a sealed output that a list shows, and characters of a message or reason. */
const LISTED_OUTPUT_BYTES = 4096;
export const LISTED_TEXT_LENGTH = 1000;
const LONG_TEXTS: readonly Column[] = ['error_message', 'cancel_reason'];
const listed = (column: Column): string => {
  if (LONG_TEXTS.includes(column)) return `SUBSTR(${column}, 1, ${LISTED_TEXT_LENGTH + 1}) AS ${column}`;
  return column;
};
/** Of the record as lists show it: no output is read, and of a long text the beginning. */
export const LISTED_COLUMNS = withOutput('NULL AS output', listed, `output_bytes, ${NOTED}`);
/** The output that a list shows of such a row, and its length. */
export const LISTED_OUTPUT = `LENGTH(output) AS output_bytes, ${outputUpTo(LISTED_OUTPUT_BYTES)}`;
/** MySQL reads an output to tell its length: of these it is known, and too large for a list. */
export const isLargeInList = ({ output_bytes }: Pick<ViewedRun, 'output_bytes'>): boolean =>
  output_bytes !== null && Number(output_bytes) > LISTED_OUTPUT_BYTES;
/** The same without outputs. */
export const RECORD_COLUMNS = withoutOutput(listed);
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
