import { migration, reordered } from '../../../../kernel/contracts/index.ts';

/** A list of nodes reads no output. */
export const outputsLast = migration('0002-order', {
  sqlite: reordered('flows_nodes', {
    columns: `run_id TEXT NOT NULL, n INTEGER NOT NULL, item INTEGER NOT NULL, state TEXT NOT NULL,
    open_needs INTEGER NOT NULL, met_needs INTEGER NOT NULL, attempt INTEGER NOT NULL, activity_id TEXT,
    timer_id TEXT, total INTEGER, begun INTEGER NOT NULL, ended INTEGER NOT NULL, failed INTEGER NOT NULL,
    error_code TEXT, started_at INTEGER, finished_at INTEGER, outcome TEXT NOT NULL, error_message TEXT,
    output BLOB`,
    key: 'run_id, n, item',
    indexes: ['CREATE INDEX flows_nodes_state ON flows_nodes (run_id, state, n)'],
  }),
  mysql: [],
});
