import { migration } from '../../../../kernel/contracts/index.ts';

const OUTPUTS = `CREATE TABLE runs_outputs (
  run_id {id} NOT NULL,
  activity_id {id} NOT NULL,
  position {int} NOT NULL,
  bytes {int} NOT NULL,
  output {blob} NOT NULL,
  PRIMARY KEY (run_id, activity_id, position)
){end}`;

/**
 * Large outputs of steps have rows of their own, and in the journal they are empty. SQLite keeps a journal in the order of its
 * key and reads whole rows to find one; MySQL reads an output to tell its length.
 */
export const outputsApart = migration('0032-outputs', {
  sqlite: [
    ...migration('', [OUTPUTS]).sqlite,
    `INSERT INTO runs_outputs (run_id, activity_id, position, bytes, output)
     SELECT run_id, activity_id, position, LENGTH(output), output FROM runs_journal WHERE LENGTH(output) > 4096`,
    `UPDATE runs_journal SET output = X'' WHERE LENGTH(output) > 4096 AND EXISTS (SELECT 1 FROM runs_outputs o
     WHERE o.run_id = runs_journal.run_id AND o.activity_id = runs_journal.activity_id AND o.position = runs_journal.position)`,
  ],
  mysql: migration('', [OUTPUTS]).mysql,
});
