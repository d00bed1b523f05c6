import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * files_contents: a content is there from the commit of its row; digests are hexadecimal. `used_at` is the last use, exact to
 * an hour. files_pieces: its bytes, sealed, in pieces that every database takes.
 * files_sets: what one document needs together, named by its digests; files_members: the contents of a set.
 */
export const fileTables = migration('0001-files', [
  `CREATE TABLE files_contents (
    project_id {id} NOT NULL,
    digest {id} NOT NULL,
    org_id {id} NOT NULL,
    size {int} NOT NULL,
    created_at {ms} NOT NULL,
    used_at {ms} NOT NULL,
    PRIMARY KEY (project_id, digest)
  ){end}`,
  'CREATE INDEX files_contents_used ON files_contents (used_at)',
  `CREATE TABLE files_pieces (
    project_id {id} NOT NULL,
    digest {id} NOT NULL,
    n {int} NOT NULL,
    org_id {id} NOT NULL,
    content {blob} NOT NULL,
    PRIMARY KEY (project_id, digest, n)
  ){end}`,
  `CREATE TABLE files_sets (
    project_id {id} NOT NULL,
    file_set {id} NOT NULL,
    used_at {ms} NOT NULL,
    PRIMARY KEY (project_id, file_set)
  ){end}`,
  'CREATE INDEX files_sets_used ON files_sets (used_at)',
  `CREATE TABLE files_members (
    project_id {id} NOT NULL,
    file_set {id} NOT NULL,
    digest {id} NOT NULL,
    PRIMARY KEY (project_id, file_set, digest)
  ){end}`,
  'CREATE INDEX files_members_digest ON files_members (project_id, digest)',
]);
