import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * oidc_people: `person` is the digest of issuer and subject. oidc_grants: roles that claims gave, so that only these are
 * taken away again; `project_id` is '' for the org itself.
 */
export const oidcTables = migration('0001-oidc', [
  `CREATE TABLE oidc_people (
    person {id} NOT NULL PRIMARY KEY,
    issuer {text} NOT NULL,
    subject {text} NOT NULL,
    user_id {id} NOT NULL,
    user_name {id} NOT NULL,
    created_at {ms} NOT NULL,
    signed_in_at {ms} NOT NULL
  ){end}`,
  `CREATE TABLE oidc_grants (
    user_id {id} NOT NULL,
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    role {word} NOT NULL,
    before_role {word},
    PRIMARY KEY (user_id, org_id, project_id)
  ){end}`,
]);
