import { migration } from '../../../../kernel/contracts/index.ts';

/* `options` is JSON without secrets, and `login` is sealed JSON. `store_id` orders the list and stays on replacement. */
const TABLES = [
  `CREATE TABLE secret_stores_stores (
  project_id {id} NOT NULL,
  name {id} NOT NULL,
  org_id {id} NOT NULL,
  store_id {id} NOT NULL,
  kind {word} NOT NULL,
  set_at {ms} NOT NULL,
  options {text} NOT NULL,
  login {blob} NOT NULL,
  PRIMARY KEY (project_id, name)
){end}`,
  'CREATE UNIQUE INDEX secret_stores_stores_newest ON secret_stores_stores (project_id, store_id)',
];

export const secretStoreTables = migration('0001-secret-stores', TABLES);
