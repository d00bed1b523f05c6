import { migration } from '../../../../kernel/contracts/index.ts';

const statements = {
  sqlite: ['CREATE INDEX handlers_runs_parked ON handlers_runs (project_id) WHERE waiting = 1 AND untrusted = 1'],
  mysql: [],
};

/** How many untrusted runs wait is counted where they are started. MySQL finds them by `handlers_runs_flight`. */
export const parked = migration('0010-parked', statements, { additive: true });
