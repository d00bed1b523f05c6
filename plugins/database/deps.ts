import type { Clock, Ids, Log } from '../../kernel/contracts/index.ts';

/** What a database needs of the kernel. */
export interface DatabaseDeps {
  clock: Clock;
  log: Log;
  ids: Ids;
}
