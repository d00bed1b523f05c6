import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * What callers ask runs, and the waits of runs for it. `queue` is the digest of the name. Answer and payload are sealed; they
 * are the last columns, so that a list reads neither, and the payload is the very last one, because it is read before there is an
 * answer.
 */
const TABLES = [
  // queued → delivered → answered; one that is open at its deadline is expired, at the latest with the run's next ask. An ask can
  // be answered while it is queued.
  `CREATE TABLE asks_asks (
  run_id {id} NOT NULL,
  ask_id {id} NOT NULL,
  org_id {id} NOT NULL,
  project_id {id} NOT NULL,
  seq {int} NOT NULL,
  name {name} NOT NULL,
  queue {id} NOT NULL,
  state {word} NOT NULL,
  sent_by {name},
  sent_at {ms} NOT NULL,
  deadline {ms} NOT NULL,
  delivered_at {ms},
  answered_at {ms},
  answer {blob},
  payload {blob} NOT NULL,
  PRIMARY KEY (run_id, ask_id)
){end}`,
  'CREATE INDEX asks_asks_seq ON asks_asks (run_id, seq)',
  'CREATE INDEX asks_asks_queue ON asks_asks (run_id, state, queue, seq)',
  `CREATE TABLE asks_waits (
  run_id {id} NOT NULL,
  activity_id {id} NOT NULL,
  position {int} NOT NULL,
  queue {id} NOT NULL,
  armed_at {ms} NOT NULL,
  PRIMARY KEY (run_id, activity_id, position)
){end}`,
  'CREATE INDEX asks_waits_queue ON asks_waits (run_id, queue, armed_at)',
];

export const askTables = migration('0001-asks', TABLES, { additive: true });
