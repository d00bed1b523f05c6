import { migration } from '../../../../kernel/contracts/index.ts';

/** What `svc apply` has applied, so that `--prune` removes nothing that people made by hand. */
const TABLES = [
  `CREATE TABLE apply_marks (
  project_id {id} NOT NULL,
  kind {word} NOT NULL,
  name {name} NOT NULL,
  org_id {id} NOT NULL,
  mark_id {id} NOT NULL,
  applied_at {ms} NOT NULL,
  applied_by {name},
  PRIMARY KEY (project_id, kind, name)
){end}`,
  'CREATE INDEX apply_marks_list ON apply_marks (project_id, mark_id)',
];

export const appliedTables = migration('0001-applied', TABLES, { additive: true });
