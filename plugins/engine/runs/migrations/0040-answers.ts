import { migration, reordered } from '../../../../kernel/contracts/index.ts';

/**
 * Who sent a signal, and whether it rejects what a wait asks. Signals of older servers have neither. On SQLite the payload
 * stays the last column, so that a list reads no payload.
 */
export const answerColumns = migration('0040-answers', {
  sqlite: [
    'ALTER TABLE runs_signals ADD COLUMN sent_by TEXT',
    'ALTER TABLE runs_signals ADD COLUMN decision TEXT',
    ...reordered('runs_signals', {
      columns: `run_id TEXT NOT NULL, seq INTEGER NOT NULL, signal_id TEXT NOT NULL, topic TEXT NOT NULL,
        state TEXT NOT NULL, sent_at INTEGER NOT NULL, taken_at INTEGER, taken_activity TEXT,
        taken_position INTEGER, name TEXT NOT NULL, sent_by TEXT, decision TEXT, payload BLOB NOT NULL`,
      key: 'run_id, seq',
      indexes: [
        'CREATE UNIQUE INDEX runs_signals_id ON runs_signals (run_id, signal_id)',
        'CREATE INDEX runs_signals_queue ON runs_signals (run_id, topic, state, seq)',
        'CREATE UNIQUE INDEX runs_signals_taken ON runs_signals (run_id, taken_activity, taken_position)',
      ],
    }),
  ],
  mysql: [
    'ALTER TABLE runs_signals ADD COLUMN sent_by VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
    'ALTER TABLE runs_signals ADD COLUMN decision VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin',
  ],
});
