import { lockable, migration } from '../../../../kernel/contracts/index.ts';

export const lockVersions = migration('0002-lock-versions', [
  lockable('bus_heads'),
  lockable('bus_waits'),
  lockable('bus_types'),
]);
