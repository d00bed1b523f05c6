import { systemClock } from '../../kernel/boot/services/clock.ts';
import { createIds } from '../../kernel/boot/services/ids.ts';
import { createLog } from '../../kernel/boot/services/log.ts';
import { isServiceError } from '../../kernel/contracts/index.ts';
import { dumpSchema } from './dump.ts';
import { openDatabase } from '../../plugins/platform/database/open-database.ts';

/** `node test/tools/dump-schema.ts <url>` prints the schema of a database. */
async function main([url, ...rest]: readonly string[]): Promise<number> {
  if (url === undefined || rest.length > 0) {
    process.stderr.write('usage: node test/tools/dump-schema.ts <database url>\n');
    return 2;
  }
  const log = createLog('warn', {});
  try {
    const deps = { clock: systemClock, log, ids: createIds(systemClock) };
    const handle = await openDatabase({ database_url: url }, deps);
    process.stdout.write(await dumpSchema(handle.database).finally(() => handle.close()));
    return 0;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    process.stderr.write(`${error.code}: ${error.message}\n${error.next}\n`);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
