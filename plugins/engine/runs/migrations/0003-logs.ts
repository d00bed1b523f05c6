import { migration } from '../../../../kernel/contracts/index.ts';

/** Logs and annotations. */
export const logTables = migration('0003-logs', [
  // The order of a run's log is the order of commits: seq is taken from here under this row's lock, so a
  // follower that has seen n never misses a smaller number that commits later.
  `CREATE TABLE runs_log_heads (
    run_id {id} NOT NULL PRIMARY KEY,
    next_seq {int} NOT NULL
  ){end}`,
  `CREATE TABLE runs_logs (
    run_id {id} NOT NULL,
    seq {int} NOT NULL,
    activity_id {id} NOT NULL,
    epoch {int} NOT NULL,
    n {int} NOT NULL,
    stream {word} NOT NULL,
    logged_at {ms} NOT NULL,
    data {blob} NOT NULL,
    PRIMARY KEY (run_id, seq)
  ){end}`,
  'CREATE UNIQUE INDEX runs_logs_chunk ON runs_logs (activity_id, epoch, n)',
  `CREATE TABLE runs_annotations (
    run_id {id} NOT NULL,
    activity_id {id} NOT NULL,
    nth {int} NOT NULL,
    text {text} NOT NULL,
    written_at {ms} NOT NULL,
    PRIMARY KEY (run_id, activity_id, nth)
  ){end}`,
]);
