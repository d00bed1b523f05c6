import { migration } from '../../../../kernel/contracts/index.ts';
import { rebuildClustered } from '../../../platform/retention/contract.ts';

/**
 * On SQLite, a table beside the index of its key costs a run a second page in the log at every commit. Small rows lie in
 * the key itself. Of announcements the key is what must be once: the start of a run (0) and its end (1).
 */
export const clusteredTables = migration('0018-clustered', {
  sqlite: [
    ...rebuildClustered('runs_announcements', {
      columns: `run_id TEXT NOT NULL, terminal INTEGER NOT NULL, type TEXT NOT NULL, org_id TEXT NOT NULL,
        project_id TEXT NOT NULL, announced_at INTEGER NOT NULL`,
      key: 'run_id, terminal',
      from: 'run_id, COALESCE(terminal, 0), type, org_id, project_id, announced_at',
    }),
    ...rebuildClustered('runs_journal', {
      columns: `run_id TEXT NOT NULL, activity_id TEXT NOT NULL, position INTEGER NOT NULL, kind TEXT NOT NULL,
        name TEXT NOT NULL, site TEXT NOT NULL, ordinal INTEGER NOT NULL, digest TEXT NOT NULL, label TEXT,
        exit_code INTEGER NOT NULL, output BLOB NOT NULL, message BLOB, epoch INTEGER NOT NULL,
        started_at INTEGER NOT NULL, recorded_at INTEGER NOT NULL`,
      key: 'run_id, activity_id, position',
      from: `run_id, activity_id, position, kind, name, site, ordinal, digest, label, exit_code, output, message, epoch,
        started_at, recorded_at`,
    }),
    'CREATE UNIQUE INDEX runs_journal_site ON runs_journal (run_id, activity_id, site, ordinal)',
  ],
  mysql: [],
});
