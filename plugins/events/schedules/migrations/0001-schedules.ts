import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * schedules_schedules: `revision` is another at every replacement; `next_due` is NULL while paused and when there is
 * no further time. A tick is whoever's statement moves `next_due` on. `workflow` is sealed JSON; `about` (its kind and
 * file name) and `credentials` (variable → name) are what must be told without opening it.
 */
export const scheduleTables = migration('0001-schedules', [
  `CREATE TABLE schedules_schedules (
    project_id {id} NOT NULL,
    name {id} NOT NULL,
    org_id {id} NOT NULL,
    org {name} NOT NULL,
    project {name} NOT NULL,
    schedule_id {id} NOT NULL,
    revision {id} NOT NULL,
    cron {name} NOT NULL,
    timezone {id} NOT NULL,
    subject {name},
    paused {flag} NOT NULL,
    workflow {blob},
    about {text},
    credentials {text},
    next_due {ms},
    created_at {ms} NOT NULL,
    set_at {ms} NOT NULL,
    set_by {id},
    last_due {ms},
    ticked_at {ms},
    last_event {id},
    last_run {id},
    missed_count {int},
    last_error {text},
    PRIMARY KEY (project_id, name)
  ){end}`,
  'CREATE UNIQUE INDEX schedules_schedules_newest ON schedules_schedules (project_id, schedule_id)',
  'CREATE INDEX schedules_schedules_due ON schedules_schedules (next_due, project_id, name)',
]);
