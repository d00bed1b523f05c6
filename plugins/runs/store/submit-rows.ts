import type { Param, Transaction } from '../../../kernel/contracts/index.ts';
import type { NewRun } from '../contract.ts';
import { envelopeOf } from '../domain/new-run-rules.ts';
import { distinct, insertRows } from './batches.ts';
import { keyOf } from './keys.ts';

const RUN_COLUMNS = `run_id org_id project_id org project kind workflow status subject tags trigger_fields envelope env
  credentials filename interpreter requires source_digest trusted generation parent submitted_by key_digest next_seq
  created_at cancel_on workflow_type`.split(/\s+/);
const ACTIVITY_COLUMNS = `activity_id run_id org_id project_id name executor spec lane state epoch passes due
  created_at`.split(/\s+/);
const TAG_COLUMNS = ['run_id', 'tag_key', 'project_id'];
const SOURCE_COLUMNS = ['project_id', 'digest', 'org_id', 'source', 'created_at'];

/** A run on its way into the database. */
export interface Submission {
  run: NewRun;
  trusted: boolean;
  key_digest: string | null;
  source_digest: string;
  lanes: string[];
  /** Set once the run was handed to the database: found again, it is this one and no duplicate. */
  attempted: boolean;
}

/** Answers how many runs were really inserted; a key or an id that is taken leaves its run out. */
export async function insertRunRows(tx: Transaction, fresh: readonly Submission[], now: number): Promise<number> {
  await insertSources(tx, fresh, now);
  const rows = fresh.map((submission) => runRow(submission, now));
  return insertRows(tx, `${tx.sql.insert_ignore} runs_runs`, RUN_COLUMNS, rows);
}

/** What belongs to runs that were inserted. */
export async function insertParts(tx: Transaction, made: readonly Submission[], now: number): Promise<void> {
  const activities = made.flatMap((submission) => activityRows(submission, now));
  await insertRows(tx, 'INSERT INTO runs_activities', ACTIVITY_COLUMNS, activities);
  const tags = made.flatMap(({ run }) =>
    distinct(run.tags ?? [], (tag) => keyOf('tag', tag)).map((key) => [run.run_id, key, run.project_id]),
  );
  await insertRows(tx, 'INSERT INTO runs_tags', TAG_COLUMNS, tags);
}

async function insertSources(tx: Transaction, fresh: readonly Submission[], now: number): Promise<void> {
  const sources = new Map(fresh.map((item) => [`${item.run.project_id} ${item.source_digest}`, item]));
  const rows = [...sources.keys()].sort().map((name): Param[] => {
    const { run, source_digest } = sources.get(name)!;
    return [run.project_id, source_digest, run.org_id, run.source, now];
  });
  await insertRows(tx, `${tx.sql.insert_ignore} runs_sources`, SOURCE_COLUMNS, rows);
}

function runRow({ run, trusted, key_digest, source_digest }: Submission, now: number): Param[] {
  return [
    run.run_id,
    run.org_id,
    run.project_id,
    run.org,
    run.project,
    run.kind,
    run.workflow,
    'queued',
    run.subject ?? null,
    JSON.stringify(run.tags ?? []),
    JSON.stringify(run.trigger),
    JSON.stringify(envelopeOf(run)),
    JSON.stringify(run.env ?? {}),
    credentialsOf(run),
    run.filename ?? null,
    run.interpreter ?? null,
    JSON.stringify(run.requires ?? []),
    source_digest,
    trusted ? 1 : 0,
    run.generation,
    run.parent ?? null,
    run.submitted_by ?? null,
    key_digest,
    0,
    now,
    run.cancel_on && run.cancel_on.length > 0 ? JSON.stringify(run.cancel_on) : null,
    run.workflow_type ?? null,
  ];
}

/** NULL without any, so that those that name one are found. */
const credentialsOf = ({ credentials = {} }: NewRun): string | null =>
  Object.keys(credentials).length === 0 ? null : JSON.stringify(credentials);

function activityRows({ run, lanes }: Submission, now: number): Param[][] {
  return run.activities.map((activity, i) => [
    activity.activity_id,
    run.run_id,
    run.org_id,
    run.project_id,
    activity.name,
    activity.executor,
    JSON.stringify(activity.spec),
    lanes[i]!,
    'pending',
    0,
    0,
    now,
    now,
  ]);
}
