import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * How a schedule starts its due times; NULL: as before. `due_at`: the due time that `next_due` is the start of, if the
 * start is later by the jitter.
 *
 * `schedules_ticks`: due times that wait for their turn or for a backfill (`waiting`), and the newest that were not
 * started (`skipped`). `schedules_open`: runs that have not ended, of schedules whose due times look at them.
 * An older server would neither look at them nor remove them, so this is not additive.
 */
export const overlaps = migration('0005-overlaps', [
  'ALTER TABLE schedules_schedules ADD COLUMN overlap {word}',
  'ALTER TABLE schedules_schedules ADD COLUMN jitter_ms {ms}',
  'ALTER TABLE schedules_schedules ADD COLUMN catch_up_ms {ms}',
  'ALTER TABLE schedules_schedules ADD COLUMN deadline_ms {ms}',
  'ALTER TABLE schedules_schedules ADD COLUMN due_at {ms}',
  `CREATE TABLE schedules_ticks (
      project_id {id} NOT NULL,
      name {id} NOT NULL,
      due {ms} NOT NULL,
      org_id {id} NOT NULL,
      state {word} NOT NULL,
      backfill {flag},
      overlap {word},
      event_id {id},
      expires_at {ms},
      written_at {ms} NOT NULL,
      reason {text},
      PRIMARY KEY (project_id, name, due)
    ){end}`,
  'CREATE INDEX schedules_ticks_state ON schedules_ticks (state, project_id, name, due)',
  `CREATE TABLE schedules_open (
      run_id {id} NOT NULL PRIMARY KEY,
      project_id {id} NOT NULL,
      name {id} NOT NULL,
      org_id {id} NOT NULL,
      due {ms} NOT NULL
    ){end}`,
  'CREATE INDEX schedules_open_schedule ON schedules_open (project_id, name, due)',
]);
