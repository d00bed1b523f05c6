import { openDatabase } from '../../plugins/platform/database/open-database.ts';
import { createIds, RecordingLog, systemClock, tablesWith } from '../kit/index.ts';

/**
 * Gives the only account of this name in the database another name, behind the back of the server: so a name can be held by
 * a credential and by an account at once, which the service itself never lets happen.
 */
export async function renameAccount(url: string, from: string, to: string): Promise<void> {
  const { database, close } = await open(url);
  try {
    const changed = await database.write('UPDATE accounts_accounts SET name = ? WHERE name = ?', [to, from]);
    if (changed !== 1) throw new Error(`${changed} accounts are called ${from}`);
  } finally {
    await close();
  }
}

/** Names of the tables of a database in which some row holds the text. */
export async function tablesHolding(url: string, text: string): Promise<string[]> {
  const { database, close } = await open(url);
  return tablesWith(database, text).finally(close);
}

const open = (url: string) =>
  openDatabase({ database_url: url }, { clock: systemClock, log: new RecordingLog(), ids: createIds(systemClock) });
