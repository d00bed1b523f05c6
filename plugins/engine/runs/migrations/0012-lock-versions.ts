import { lockable, migration } from '../../../../kernel/contracts/index.ts';

export const lockVersions = migration('0012-lock-versions', [
  lockable('runs_runs'),
  lockable('runs_activities'),
  lockable('runs_log_heads'),
  lockable('runs_sources'),
]);
