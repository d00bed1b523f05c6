import type { Clock, Ids, Log } from '../../../../kernel/contracts/index.ts';
import type { MysqlAddress } from '../url.ts';
import { MysqlDatabase } from './database.ts';
import { MysqlPool } from './pool.ts';
import { ServerClock } from './server-clock.ts';

/** Opens a pool and reads the server's clock, which proves that the server answers. Throws `database_unavailable`. */
export async function openMysqlDatabase(
  address: MysqlAddress,
  deps: { clock: Clock; log: Log; ids: Ids },
): Promise<{ database: MysqlDatabase; close: () => Promise<void> }> {
  const pool = new MysqlPool(address, deps.clock);
  const time = new ServerClock(pool, deps.clock, deps.log);
  const close = async () => {
    await time.stop();
    await pool.close();
  };
  try {
    await time.start();
  } catch (error) {
    await close();
    throw error;
  }
  return { database: new MysqlDatabase(pool, time, deps), close };
}
