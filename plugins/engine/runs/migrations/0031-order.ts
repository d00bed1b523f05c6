import { migration, reordered } from '../../../../kernel/contracts/index.ts';

const OUTPUT_BYTES = migration('', ['ALTER TABLE runs_runs ADD COLUMN output_bytes {int}']);

/** A list of runs, activities, signals or cells reads nothing of what they were given and what came of them. */
export const largeLast = migration('0031-order', {
  sqlite: [
    ...OUTPUT_BYTES.sqlite,
    ...reordered('runs_runs', {
      columns: `run_id TEXT NOT NULL, org_id TEXT NOT NULL, project_id TEXT NOT NULL, org TEXT NOT NULL,
      project TEXT NOT NULL, kind TEXT NOT NULL, workflow TEXT NOT NULL, status TEXT NOT NULL, filename TEXT,
      interpreter TEXT, source_digest TEXT NOT NULL, trusted INTEGER NOT NULL, generation INTEGER NOT NULL,
      parent TEXT, rerun_of TEXT, submitted_by TEXT, key_digest TEXT, next_seq INTEGER NOT NULL,
      created_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER, output_bytes INTEGER, error_code TEXT, workflow_type TEXT,
      coordinator TEXT, lock_version INTEGER NOT NULL DEFAULT 0, trigger_type TEXT, trigger_name TEXT,
      trigger_event TEXT, timeout_ms INTEGER, trace TEXT, spawned INTEGER NOT NULL DEFAULT 0, subject TEXT,
      subject_bytes BLOB, tags TEXT NOT NULL, trigger_fields TEXT NOT NULL, requires TEXT NOT NULL,
      cancel_on TEXT, credentials TEXT, cancelled_by TEXT, pin TEXT, cancel_reason TEXT, error_message TEXT,
      output BLOB, env TEXT NOT NULL, envelope TEXT NOT NULL`,
      key: 'run_id',
      indexes: [
        'CREATE INDEX runs_runs_event ON runs_runs (trigger_event) WHERE trigger_event IS NOT NULL',
        'CREATE UNIQUE INDEX runs_runs_key ON runs_runs (project_id, key_digest) WHERE key_digest IS NOT NULL',
        'CREATE INDEX runs_runs_parent ON runs_runs (parent) WHERE parent IS NOT NULL',
        'CREATE INDEX runs_runs_reruns ON runs_runs (rerun_of) WHERE rerun_of IS NOT NULL',
        'CREATE INDEX runs_runs_starter ON runs_runs (project_id, trigger_name, run_id) WHERE trigger_name IS NOT NULL',
        'CREATE INDEX runs_runs_status ON runs_runs (project_id, status, run_id)',
        'CREATE INDEX runs_runs_subject ON runs_runs (project_id, subject_bytes, run_id) WHERE subject_bytes IS NOT NULL',
        'CREATE INDEX runs_runs_type ON runs_runs (project_id, trigger_type, run_id)',
      ],
    }),
    ...reordered('runs_activities', {
      columns: `activity_id TEXT NOT NULL, run_id TEXT NOT NULL, org_id TEXT NOT NULL, project_id TEXT NOT NULL,
      name TEXT NOT NULL, executor TEXT NOT NULL, lane TEXT NOT NULL, state TEXT NOT NULL, epoch INTEGER NOT NULL,
      passes INTEGER NOT NULL, agent_id TEXT, due INTEGER NOT NULL, deadline INTEGER, created_at INTEGER NOT NULL,
      finished_at INTEGER, error_code TEXT, exit_code INTEGER, parent TEXT, losses INTEGER,
      lost_at_length INTEGER, lock_version INTEGER NOT NULL DEFAULT 0, tried_at INTEGER, tried INTEGER,
      error_message TEXT, spec TEXT NOT NULL, output BLOB`,
      key: 'activity_id',
      indexes: [
        `CREATE INDEX runs_activities_claimable ON runs_activities (lane, due, activity_id) WHERE state = 'pending'`,
        `CREATE INDEX runs_activities_deadline ON runs_activities (deadline) WHERE state = 'claimed'`,
        'CREATE INDEX runs_activities_parent ON runs_activities (parent) WHERE parent IS NOT NULL',
        'CREATE INDEX runs_activities_run ON runs_activities (run_id, state)',
      ],
    }),
    ...reordered('runs_signals', {
      columns: `run_id TEXT NOT NULL, seq INTEGER NOT NULL, signal_id TEXT NOT NULL, topic TEXT NOT NULL,
      state TEXT NOT NULL, sent_at INTEGER NOT NULL, taken_at INTEGER, taken_activity TEXT,
      taken_position INTEGER, name TEXT NOT NULL, payload BLOB NOT NULL`,
      key: 'run_id, seq',
      indexes: [
        'CREATE UNIQUE INDEX runs_signals_id ON runs_signals (run_id, signal_id)',
        'CREATE INDEX runs_signals_queue ON runs_signals (run_id, topic, state, seq)',
        'CREATE UNIQUE INDEX runs_signals_taken ON runs_signals (run_id, taken_activity, taken_position)',
      ],
    }),
    ...reordered('runs_cells', {
      columns: `project_id TEXT NOT NULL, run_id TEXT NOT NULL, entity BLOB NOT NULL, cell BLOB NOT NULL,
      org_id TEXT NOT NULL, trusted INTEGER NOT NULL, written_by TEXT, written_at INTEGER NOT NULL,
      value BLOB NOT NULL`,
      key: 'project_id, run_id, entity, cell',
      indexes: [],
    }),
  ],
  mysql: OUTPUT_BYTES.mysql,
});
