import { type Database, insertRows, isServiceError, type PluginMigrations } from '../../../kernel/contracts/index.ts';
import type { DatabaseHandle } from '../open-database.ts';
import { layoutsOf, recordLayouts } from '../migrate/layout.ts';
import { makeLedger } from '../migrate/ledger.ts';
import type { Step } from '../migrate/steps.ts';
import type { CopiedRow, CopiedTable, SettleCopy } from '../contract/copies.ts';
import { convertRow, kindOf, type TargetColumn } from './convert.ts';
import { CopyErrors } from '../contract/copy-errors.ts';
import { LEDGER, stepsTo } from './migrations.ts';

/** Tables and columns as the database itself tells them. */
async function columnsOf(database: Database): Promise<Map<string, TargetColumn[]>> {
  const rows = await database.read<{ name: string; column: string; type: string; required: number }>(
    database.sql.family === 'sqlite'
      ? "SELECT m.name AS name, p.name AS `column`, p.type AS type, p.`notnull` OR p.pk > 0 AS required FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table'"
      : "SELECT table_name AS name, column_name AS `column`, data_type AS type, is_nullable = 'NO' AS required FROM information_schema.columns WHERE table_schema = DATABASE()",
  );
  const tables = new Map<string, TargetColumn[]>();
  for (const { name, column, type, required } of rows)
    tables.set(name, [
      ...(tables.get(name) ?? []),
      { name: column, kind: kindOf(type), required: Number(required) === 1 },
    ]);
  return tables;
}

/** What the database must come to. */
export interface Wanted {
  migrations: readonly PluginMigrations[];
  settle: readonly SettleCopy[];
  /** Of this svc. */
  version: string;
}

/** Fills an opened, empty database. The ledger of the migrator comes last: without it no server can use the tables. */
export class Loading {
  readonly #handle: DatabaseHandle;
  readonly #wanted: Wanted;
  #steps: readonly Step[] = [];
  #columns = new Map<string, TargetColumn[]>();

  constructor(handle: DatabaseHandle, wanted: Wanted) {
    this.#handle = handle;
    this.#wanted = wanted;
  }

  /** What migrations put into tables themselves is in the backup too. */
  async build(migrations: readonly string[]): Promise<void> {
    const { database } = this.#handle;
    this.#steps = stepsTo(migrations, this.#wanted.migrations, database.sql.family);
    // Not through `write`: a statement of the schema is not prepared.
    for (const { statement } of this.#steps) await database.sequelize.query({ query: statement, values: [] });
    this.#columns = await columnsOf(database);
    for (const table of this.#columns.keys()) await database.write(`DELETE FROM ${table}`);
  }

  table({ name, columns }: CopiedTable): { insert(rows: readonly CopiedRow[]): Promise<void> } {
    const known = LEDGER.includes(name) ? undefined : this.#columns.get(name);
    if (!known) throw CopyErrors.damaged(`its migrations make no table ${name.slice(0, 64)}`);
    const target = columns.map((column) => known.find((one) => one.name === column));
    const missing = target.indexOf(undefined);
    if (missing >= 0) throw CopyErrors.damaged(`${name} has no column ${columns[missing]!.slice(0, 64)}`);
    return { insert: (rows) => this.#insert(name, target as TargetColumn[], rows) };
  }

  async #insert(table: string, columns: readonly TargetColumn[], rows: readonly CopiedRow[]): Promise<void> {
    const names = columns.map(({ name }) => name);
    const target = { family: this.#handle.database.sql.family, table, columns };
    try {
      const params = rows.map((row) => convertRow(target, row));
      await this.#handle.database.transaction((tx) => insertRows(tx, `INSERT INTO ${table}`, names, params));
    } catch (error) {
      throw refused(table, error);
    }
  }

  async finish(): Promise<string[]> {
    const { database } = this.#handle;
    await makeLedger(database);
    const now = database.now();
    const rows = this.#steps.map(({ name, digest }) => [name, digest, now, now]);
    const columns = ['name', 'digest', 'started_at', 'applied_at'];
    await database.transaction(async (tx) => {
      await insertRows(tx, 'INSERT INTO kernel_migrations', columns, rows);
      const restored = new Set(this.#steps.map(({ migration }) => migration));
      const layouts = layoutsOf(this.#wanted.migrations, this.#wanted.version);
      await recordLayouts(
        tx,
        layouts.filter(({ migration }) => restored.has(migration)),
        now,
      );
    });
    const applied = await this.#handle.migrate(this.#wanted.migrations);
    for (const settle of this.#wanted.settle) await settle(database);
    return applied;
  }
}

/** A key that is there already, a text that is too long: databases of two kinds differ in that. */
function refused(table: string, error: unknown): unknown {
  if (isServiceError(error) && error.code !== 'row_exists') return error;
  const cause = error as Error & { errno?: number; parent?: { errno?: number } };
  const errno = cause.errno ?? cause.parent?.errno ?? 0;
  const known = isServiceError(error) || [1406, 1366, 1264, 1265].includes(errno);
  return known ? CopyErrors.valueRefused(`${table}: ${cause.message}`, { cause }) : error;
}
