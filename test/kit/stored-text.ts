import type { Database } from '../../kernel/contracts/index.ts';

/** Names of the tables of which some row holds the text: as it is, in hex or in base64. Empty when nothing leaked. */
export async function tablesWith(database: Database, text: string): Promise<string[]> {
  const tables = await database.read<{ name: string }>(
    database.sql.family === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
  );
  const forms = [text, Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64').replace(/=+$/, '')];
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await database.read(`SELECT * FROM ${name}`);
    const bytes = rows.flatMap((row) => Object.values(row)).map((value) => Buffer.from(ofValue(value)));
    if (bytes.some((value) => forms.some((form) => value.includes(form)))) found.push(name);
  }
  return found;
}

const ofValue = (value: unknown): string | Uint8Array => (value instanceof Uint8Array ? value : String(value));
