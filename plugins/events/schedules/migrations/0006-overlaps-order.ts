import { migration, reordered } from '../../../../kernel/contracts/index.ts';

/** A list of schedules reads no workflow, and the columns of 0005 stand before it. */
export const overlapsOrder = migration('0006-overlaps-order', {
  sqlite: reordered('schedules_schedules', {
    columns: `project_id TEXT NOT NULL, name TEXT NOT NULL, org_id TEXT NOT NULL, org TEXT NOT NULL,
      project TEXT NOT NULL, schedule_id TEXT NOT NULL, revision TEXT NOT NULL, cron TEXT NOT NULL,
      timezone TEXT NOT NULL, paused INTEGER NOT NULL, next_due INTEGER, created_at INTEGER NOT NULL,
      set_at INTEGER NOT NULL, set_by TEXT, last_due INTEGER, ticked_at INTEGER, last_event TEXT, last_run TEXT,
      missed_count INTEGER, owner TEXT, lock_version INTEGER NOT NULL DEFAULT 0, paused_at INTEGER,
      paused_by TEXT, last_by TEXT, overlap TEXT, jitter_ms INTEGER, catch_up_ms INTEGER, deadline_ms INTEGER,
      due_at INTEGER, subject TEXT, last_error TEXT, about TEXT, credentials TEXT, workflow BLOB`,
    key: 'project_id, name',
    indexes: [
      'CREATE INDEX schedules_schedules_due ON schedules_schedules (next_due, project_id, name)',
      'CREATE UNIQUE INDEX schedules_schedules_newest ON schedules_schedules (project_id, schedule_id)',
    ],
  }),
  mysql: [],
});
