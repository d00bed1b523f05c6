import { openDatabase } from '../../plugins/database/open-database.ts';
import { createIds, RecordingLog, systemClock, tablesWith } from '../kit/index.ts';

/** Names of the tables of a database in which some row holds the text. */
export async function tablesHolding(url: string, text: string): Promise<string[]> {
  const deps = { clock: systemClock, log: new RecordingLog(), ids: createIds(systemClock) };
  const { database, close } = await openDatabase({ database_url: url }, deps);
  return tablesWith(database, text).finally(close);
}
