import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * artifacts_files: an artifact exists from the commit of its row. `parts` is JSON, [[epoch, size], …]; several rows may
 * name one content (`blob_id`), as a rerun does. `position` is the call of a script that put it.
 * artifacts_uploads: content that is being stored; the row is there before the first file. `epoch` rises when a request
 * takes the upload over, and only the present one may record parts. `garbage` is JSON, names of parts that such a request
 * may have left. `upload_key` finds an upload that can continue; NULL when nobody can.
 * artifacts_removals: what is to be removed from a store, and not before `due`.
 */
export const artifactTables = migration('0001-artifacts', [
  `CREATE TABLE artifacts_files (
    run_id {id} NOT NULL,
    path {bytes} NOT NULL,
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    blob_id {id} NOT NULL,
    store {id} NOT NULL,
    parts {text} NOT NULL,
    size {int} NOT NULL,
    digest {id} NOT NULL,
    created_at {ms} NOT NULL,
    activity_id {id},
    position {int},
    PRIMARY KEY (run_id, path)
  ){end}`,
  'CREATE INDEX artifacts_files_blob ON artifacts_files (blob_id)',
  `CREATE TABLE artifacts_uploads (
    upload_id {id} NOT NULL,
    upload_key {id},
    run_id {id} NOT NULL,
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    activity_id {id},
    path {bytes} NOT NULL,
    digest {id},
    size {int},
    store {id} NOT NULL,
    epoch {int} NOT NULL,
    stored {int} NOT NULL,
    parts {text} NOT NULL,
    garbage {text} NOT NULL,
    complete {flag} NOT NULL,
    touched_at {ms} NOT NULL,
    PRIMARY KEY (upload_id)
  ){end}`,
  'CREATE UNIQUE INDEX artifacts_uploads_key ON artifacts_uploads (upload_key)',
  'CREATE INDEX artifacts_uploads_run ON artifacts_uploads (run_id)',
  'CREATE INDEX artifacts_uploads_touched ON artifacts_uploads (touched_at)',
  `CREATE TABLE artifacts_removals (
    removal_id {id} NOT NULL,
    store {id} NOT NULL,
    blob_id {id} NOT NULL,
    names {text} NOT NULL,
    due {ms} NOT NULL,
    PRIMARY KEY (removal_id)
  ){end}`,
  'CREATE INDEX artifacts_removals_due ON artifacts_removals (store, due)',
]);
