import { migration } from '../../../../kernel/contracts/index.ts';

/** What older runs would have been given, where it is a word that an index can hold. */
const word = (path: string): string =>
  `CASE WHEN JSON_UNQUOTE(JSON_EXTRACT(trigger_fields, '${path}')) REGEXP '^[A-Za-z0-9._-]{1,64}$'
   THEN JSON_UNQUOTE(JSON_EXTRACT(trigger_fields, '${path}')) END`;

const columns = migration('0016-origins', [
  // The subject as bytes: MySQL's collations would take texts for the same that differ in spaces at their end.
  'ALTER TABLE runs_runs ADD COLUMN subject_bytes {bytes}',
  'ALTER TABLE runs_runs ADD COLUMN trigger_type {id}',
  // `handler:<name>` or `schedule:<name>`.
  'ALTER TABLE runs_runs ADD COLUMN trigger_name {part}',
  'ALTER TABLE runs_runs ADD COLUMN trigger_event {id}',
]);

const indexes = [
  'CREATE INDEX runs_runs_subject ON runs_runs (project_id, subject_bytes, run_id)',
  'CREATE INDEX runs_runs_type ON runs_runs (project_id, trigger_type, run_id)',
  'CREATE INDEX runs_runs_starter ON runs_runs (project_id, trigger_name, run_id)',
  'CREATE INDEX runs_runs_event ON runs_runs (trigger_event)',
  'CREATE INDEX runs_runs_reruns ON runs_runs (rerun_of)',
];

/** What started a run, and which subject it has, as columns by which it is found. */
export const originColumns = migration('0016-origins', {
  sqlite: [
    ...columns.sqlite,
    `UPDATE runs_runs SET subject_bytes = CAST(subject AS BLOB), trigger_type = trigger_fields ->> '$.type',
     trigger_event = trigger_fields ->> '$.event', trigger_name = CASE
       WHEN trigger_fields ->> '$.handler' IS NOT NULL THEN CONCAT('handler:', trigger_fields ->> '$.handler')
       WHEN trigger_fields ->> '$.schedule' IS NOT NULL THEN CONCAT('schedule:', trigger_fields ->> '$.schedule') END`,
    ...indexes,
  ],
  mysql: [
    ...columns.mysql,
    `UPDATE runs_runs SET subject_bytes = CAST(subject AS BINARY), trigger_type = ${word('$.type')},
     trigger_event = ${word('$.event')},
     trigger_name = COALESCE(CONCAT('handler:', ${word('$.handler')}), CONCAT('schedule:', ${word('$.schedule')}))`,
    ...indexes,
  ],
});
