import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Calls that agents carry out and that last: at most one of an activity. A row counts while its claim is the present one and its
 * call has no record, so nobody has to remove it in time.
 */
export const underWayTable = migration('0023-under-way', [
  `CREATE TABLE runs_under_way (
    run_id {id} NOT NULL,
    activity_id {id} NOT NULL,
    epoch {int} NOT NULL,
    position {int},
    kind {word} NOT NULL,
    name {text} NOT NULL,
    ordinal {int} NOT NULL,
    label {text},
    attempt {int},
    attempts {int},
    since {ms} NOT NULL,
    agent_id {id} NOT NULL,
    agent {text} NOT NULL,
    PRIMARY KEY (run_id, activity_id)
  ){end}`,
]);
