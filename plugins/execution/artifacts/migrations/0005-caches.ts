import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * artifacts_caches: files that runs of a project have saved under a key, as one archive. A row never changes but for
 * `used_at`. Untrusted runs have caches of their own. `run_id` is the run that saved it.
 */
export const cacheTables = migration('0005-caches', [
  `CREATE TABLE artifacts_caches (
    project_id {id} NOT NULL,
    trusted {flag} NOT NULL,
    cache_key {bytes} NOT NULL,
    org_id {id} NOT NULL,
    run_id {id} NOT NULL,
    blob_id {id} NOT NULL,
    store {id} NOT NULL,
    size {int} NOT NULL,
    digest {id} NOT NULL,
    created_at {ms} NOT NULL,
    used_at {ms} NOT NULL,
    parts {text} NOT NULL,
    PRIMARY KEY (project_id, trusted, cache_key)
  ){end}`,
  'CREATE INDEX artifacts_caches_blob ON artifacts_caches (blob_id)',
  'CREATE INDEX artifacts_caches_used ON artifacts_caches (used_at)',
]);
