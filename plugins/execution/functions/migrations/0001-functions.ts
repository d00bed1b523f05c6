import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * functions_functions: what workers have registered. An empty org or project stands for all of them, because the token of a
 * worker may be for one project, for an org, or for all that the built-in agent serves.
 */
export const functionTables = migration('0001-functions', [
  `CREATE TABLE functions_functions (
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    name {id} NOT NULL,
    version {id} NOT NULL,
    versions {id} NOT NULL,
    timeout {id},
    input {text},
    registered_at {ms} NOT NULL,
    seen_at {ms} NOT NULL,
    PRIMARY KEY (org_id, project_id, name, version)
  ){end}`,
]);
