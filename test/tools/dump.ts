import type { Database } from '../../kernel/contracts/index.ts';

/**
 * The schema as text: tables in order of name with their columns in order of place and their keys in order of name.
 * The same for the same schema, whatever the version of the server, the name of the database or the way it came
 * about.
 */
export async function dumpSchema(database: Database): Promise<string> {
  const tables = database.sql.family === 'sqlite' ? await sqliteTables(database) : await mysqlTables(database);
  return tables.map(({ name, lines }) => `${name}\n${lines.map((line) => `  ${line}\n`).join('')}`).join('\n');
}

interface Table {
  name: string;
  lines: string[];
}

interface Key {
  name: string;
  unique: boolean;
  columns: string[];
  /** Of an index that holds only some rows: which. */
  condition?: string | undefined;
}

const keyLine = ({ name, unique, columns, condition }: Key) => {
  const what = name === 'PRIMARY' ? 'primary key' : `${unique ? 'unique' : 'index'} ${name}`;
  return `${what} (${columns.join(', ')})${condition === undefined ? '' : ` where ${condition}`}`;
};

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

async function sqliteTables(database: Database): Promise<Table[]> {
  const tables = await database.read<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
  );
  const dumped: Table[] = [];
  for (const { name } of tables) {
    const columns = await database.read<{
      name: string;
      type: string;
      notnull: number;
      dflt_value: string | null;
      pk: number;
    }>('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid', [name]);
    const primary = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    const lines = columns.map((c) => columnLine(c.name, c.type, c.notnull === 0, c.dflt_value));
    if (primary.length > 0) lines.push(keyLine({ name: 'PRIMARY', unique: true, columns: primary.map((c) => c.name) }));
    dumped.push({ name, lines: [...lines, ...(await sqliteKeys(database, name)).sort(byName).map(keyLine)] });
  }
  return dumped;
}

async function sqliteKeys(database: Database, table: string): Promise<Key[]> {
  const indexes = await database.read<{ name: string; unique: number; made_by: string | null }>(
    `SELECT l.name, l."unique", m.sql AS made_by FROM pragma_index_list(?) l
     LEFT JOIN sqlite_master m ON m.type = 'index' AND m.name = l.name WHERE l.origin <> 'pk'`,
    [table],
  );
  const keys: Key[] = [];
  for (const { name, unique, made_by } of indexes) {
    const sql = 'SELECT name FROM pragma_index_info(?) ORDER BY seqno';
    const columns = await database.read<{ name: string }>(sql, [name]);
    const condition = made_by?.split(/ where /i)[1];
    keys.push({ name, unique: unique === 1, columns: columns.map((column) => column.name), condition });
  }
  return keys;
}

async function mysqlTables(database: Database): Promise<Table[]> {
  const columns = await database.read<
    Record<'tab' | 'name' | 'type' | 'nullable' | 'collation' | 'preset', string | null>
  >(
    `SELECT c.table_name AS tab, c.column_name AS name, c.column_type AS type, c.is_nullable AS nullable,
      c.collation_name AS collation, c.column_default AS preset
    FROM information_schema.columns c JOIN information_schema.tables t
      ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
    WHERE c.table_schema = DATABASE() ORDER BY c.table_name, c.ordinal_position`,
  );
  const parts = await database.read<{
    tab: string;
    name: string;
    col: string;
    prefix: number | null;
    repeated: number;
  }>(
    `SELECT table_name AS tab, index_name AS name, column_name AS col, sub_part AS prefix, non_unique AS repeated
    FROM information_schema.statistics WHERE table_schema = DATABASE()
    ORDER BY table_name, index_name, seq_in_index`,
  );
  const names = [...new Set(columns.map(({ tab }) => tab!))].sort();
  return names.map((table) => {
    const lines = columns
      .filter(({ tab }) => tab === table)
      .map((c) =>
        columnLine(
          c.name!,
          `${plainType(c.type!)}${c.collation ? ` ${c.collation}` : ''}`,
          c.nullable === 'YES',
          c.preset,
        ),
      );
    return { name: table, lines: [...lines, ...keysOf(parts.filter(({ tab }) => tab === table)).map(keyLine)] };
  });
}

function keysOf(parts: readonly { name: string; col: string; prefix: number | null; repeated: number }[]): Key[] {
  const keys = new Map<string, Key>();
  for (const { name, col, prefix, repeated } of parts) {
    const key = keys.get(name) ?? { name, unique: Number(repeated) === 0, columns: [] };
    key.columns.push(prefix === null ? col : `${col}(${prefix})`);
    keys.set(name, key);
  }
  const primary = keys.get('PRIMARY');
  keys.delete('PRIMARY');
  return [...(primary ? [primary] : []), ...[...keys.values()].sort(byName)];
}

/** MariaDB writes a width behind whole numbers that MySQL 8 leaves out, and NULL as a text. */
const plainType = (type: string) => type.replace(/^(tinyint|smallint|mediumint|int|bigint)\(\d+\)/, '$1');

function columnLine(name: string, type: string, nullable: boolean, preset: string | null): string {
  const rest = preset === null || preset === 'NULL' ? '' : ` default ${preset}`;
  return `${name} ${type.toLowerCase()}${nullable ? '' : ' not null'}${rest}`;
}
