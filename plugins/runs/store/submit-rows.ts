import { distinct, insertRows, type Param, type Transaction } from '../../../kernel/contracts/index.ts';
import type { InstantClaimer } from '../contract.ts';
import { activityRow, insertActivities, type InsertedActivity } from './activity-rows.ts';
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

type Inserting = Pick<StoreParts, 'sealer' | 'instant' | 'lanes'>;

/** An activity of a new run that somebody here has claimed, to be handed over after the commit. */
export interface TakenActivity {
  submission: Submission;
  claimer: InstantClaimer;
  row: InsertedActivity;
}

/**
 * The rows that belong to inserted runs. The orgs' keys must be ready. Answers the activities that are claimed from the
 * start.
 */
export async function insertParts(
  tx: Transaction,
  store: Inserting,
  made: readonly Submission[],
  now: number,
): Promise<TakenActivity[]> {
  const taken: TakenActivity[] = [];
  const rows: Param[][] = [];
  for (const submission of made)
    for (const { row, claimer } of insertedActivities(store, submission)) {
      if (claimer) taken.push({ submission, claimer, row });
      const claim = claimer && { agent_id: claimer.agent_id, deadline: now + claimer.lease_ms };
      rows.push(activityRow(claim ? { ...row, claim } : row, submission.run, now));
    }
  await insertActivities(tx, rows);
  const tags = made.flatMap(({ run }) =>
    distinct(run.tags ?? [], (tag) => keyOf('tag', tag)).map((key) => [run.run_id, key, run.project_id]),
  );
  await insertRows(tx, 'INSERT INTO runs_tags', TAG_COLUMNS, tags);
  return taken;
}

const insertedActivities = (store: Inserting, { run, lanes, trusted }: Submission) =>
  run.activities.map((activity, i) => {
    const spec = sealSpec(store, run, activity.activity_id, activity.spec);
    const requires = store.lanes.requiresOf(activity, trusted);
    const claimer = run.unfinished ? undefined : store.instant.claimerFor(run, { ...activity, requires }, trusted);
    return { row: { ...activity, spec, lane: lanes[i]! }, claimer };
  });
