import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * Files next to the script of a run belong to its document. `files` is sealed JSON, their paths and digests; `file_set` names
 * the contents that are kept for it. NULL: there are none.
 */
export const includedFiles = migration('0024-included-files', [
  'ALTER TABLE runs_sources ADD COLUMN files {text}',
  'ALTER TABLE runs_sources ADD COLUMN file_set {id}',
  'CREATE INDEX runs_sources_files ON runs_sources (project_id, file_set)',
]);
