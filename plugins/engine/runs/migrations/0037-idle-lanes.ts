import { migration } from '../../../../kernel/contracts/index.ts';

const COLUMNS = migration('', [
  'ALTER TABLE runs_lanes ADD COLUMN used_at {ms} NOT NULL DEFAULT 0',
  'CREATE INDEX runs_lanes_idle ON runs_lanes (used_at)',
  // A claim looks at some lanes of its executors at a time, in the order of their names, which begin with the org.
  'CREATE INDEX runs_lanes_claims ON runs_lanes (executor, untrusted, lane)',
]);

/** A lane that nobody uses any more is removed. Servers of the version before take each lane that they know to stay. */
export const idleLanes = migration('0037-idle-lanes', {
  sqlite: [
    ...COLUMNS.sqlite,
    'DROP INDEX runs_lanes_executor',
    'DROP INDEX runs_lanes_org',
    "CREATE INDEX runs_activities_parked ON runs_activities (lane) WHERE state = 'parked'",
  ],
  // Here the index of what is claimable holds every state.
  mysql: [...COLUMNS.mysql, 'DROP INDEX runs_lanes_executor ON runs_lanes', 'DROP INDEX runs_lanes_org ON runs_lanes'],
});
