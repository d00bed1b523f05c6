import { distinct, insertRows, type Param, type Transaction } from '../../../kernel/contracts/index.ts';
import { activityRow, insertActivities } from './activity-rows.ts';
import { keyOf } from './keys.ts';
import type { StoreParts } from './parts.ts';
import { INSERTED_COLUMNS, insertedRow, type Submission } from './run-columns.ts';
import { sealSpec } from './sealing.ts';

const TAG_COLUMNS = ['run_id', 'tag_key', 'project_id'];

/** Answers how many runs were inserted; a run whose key or id is taken is left out. */
export async function insertRunRows(tx: Transaction, fresh: readonly Submission[], now: number): Promise<number> {
  const rows = fresh.map((submission) => insertedRow(submission, now));
  return insertRows(tx, `${tx.sql.insert_ignore} runs_runs`, INSERTED_COLUMNS, rows);
}

type Sealing = Pick<StoreParts, 'sealer'>;

/** The rows that belong to inserted runs. The orgs' keys must be ready. */
export async function insertParts(
  tx: Transaction,
  store: Sealing,
  made: readonly Submission[],
  now: number,
): Promise<void> {
  const activities = made.flatMap((submission) => activityRows(store, submission, now));
  await insertActivities(tx, activities);
  const tags = made.flatMap(({ run }) =>
    distinct(run.tags ?? [], (tag) => keyOf('tag', tag)).map((key) => [run.run_id, key, run.project_id]),
  );
  await insertRows(tx, 'INSERT INTO runs_tags', TAG_COLUMNS, tags);
}

const activityRows = (store: Sealing, { run, lanes }: Submission, now: number): Param[][] =>
  run.activities.map((activity, i) => {
    const spec = sealSpec(store, run, activity.activity_id, activity.spec);
    return activityRow({ ...activity, spec, lane: lanes[i]! }, run, now);
  });
