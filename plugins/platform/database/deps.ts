import type { Clock, Ids, Log } from '../../../kernel/contracts/index.ts';

/** The services of the kernel that a database needs. */
export interface DatabaseDeps {
  clock: Clock;
  log: Log;
  ids: Ids;
}
