import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * `owner_id` is a project or an org. Each change of a variable raises the revision of its owner, and a run stores the revisions
 * of its start: it sees the values that were set in that revision or before, and replaced after it. Values are the last column,
 * so that a list of names reads none.
 */
const TABLES = [
  `CREATE TABLE variables_owners (
  owner_id {id} NOT NULL,
  org_id {id} NOT NULL,
  revision {int} NOT NULL,
  lock_version {int} NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id)
){end}`,
  `CREATE TABLE variables_variables (
  owner_id {id} NOT NULL,
  name {lane} NOT NULL,
  org_id {id} NOT NULL,
  variable_id {id} NOT NULL,
  set_in {int} NOT NULL,
  value_bytes {int} NOT NULL,
  created_at {ms} NOT NULL,
  updated_at {ms} NOT NULL,
  updated_by {name},
  value {text} NOT NULL,
  PRIMARY KEY (owner_id, name)
){end}`,
  'CREATE INDEX variables_variables_newest ON variables_variables (owner_id, variable_id)',
  `CREATE TABLE variables_replaced (
  owner_id {id} NOT NULL,
  name {lane} NOT NULL,
  set_in {int} NOT NULL,
  replaced_in {int} NOT NULL,
  org_id {id} NOT NULL,
  replaced_at {ms} NOT NULL,
  value {text} NOT NULL,
  PRIMARY KEY (owner_id, name, set_in)
){end}`,
  'CREATE INDEX variables_replaced_age ON variables_replaced (org_id, replaced_at)',
  `CREATE TABLE variables_runs (
  run_id {id} NOT NULL,
  org_id {id} NOT NULL,
  project_id {id} NOT NULL,
  project_revision {int} NOT NULL,
  org_revision {int} NOT NULL,
  PRIMARY KEY (run_id)
){end}`,
  'CREATE INDEX variables_runs_oldest ON variables_runs (org_id, run_id)',
];

export const variableTables = migration('0001-variables', TABLES, { additive: true });
