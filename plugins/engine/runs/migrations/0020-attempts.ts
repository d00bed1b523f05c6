import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Failed attempts of a call that is tried again, beside the journal: the record of the call comes with its last attempt.
 * `tried_at` is the position of the call that an activity has tried last, and `tried` how often: a claim of any other activity
 * reads nothing of attempts, and each attempt writes the activity.
 */
export const attemptTables = migration('0020-attempts', [
  'ALTER TABLE runs_activities ADD COLUMN tried_at {int}',
  'ALTER TABLE runs_activities ADD COLUMN tried {int}',
  `CREATE TABLE runs_attempts (
    run_id {id} NOT NULL,
    activity_id {id} NOT NULL,
    position {int} NOT NULL,
    attempt {int} NOT NULL,
    attempts {int} NOT NULL,
    kind {word} NOT NULL,
    name {text} NOT NULL,
    ordinal {int} NOT NULL,
    label {text},
    exit_code {int} NOT NULL,
    output {blob} NOT NULL,
    message {blob},
    epoch {int} NOT NULL,
    started_at {ms} NOT NULL,
    ended_at {ms} NOT NULL,
    next_at {ms} NOT NULL,
    PRIMARY KEY (run_id, activity_id, position, attempt)
  ){end}`,
]);
