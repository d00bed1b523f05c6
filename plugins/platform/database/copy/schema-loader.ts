import {
  type Database,
  insertRows,
  isServiceError,
  type PluginMigrations,
} from '../../../../kernel/contracts/index.ts';
import type { DatabaseHandle } from '../open-database.ts';
import { layoutsOf, recordLayouts } from '../migrate/layout.ts';
import { makeLedger } from '../migrate/ledger.ts';
import type { Step } from '../migrate/steps.ts';
import type { CopiedRow, CopiedTable, AfterRestore } from '../contract/copies.ts';
import { convertRow, kindOf, type TargetColumn } from './convert.ts';
import { CopyErrors } from '../contract/copy-errors.ts';
import { LEDGER, stepsTo } from './migrations.ts';

/** Reads the tables and columns from the database's own catalogue. */
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

/** The schema that the restored database must have. */
export interface RestorePlan {
  migrations: readonly PluginMigrations[];
  afterRestore: readonly AfterRestore[];
  /** The version of this svc. */
  version: string;
}

/** Fills an open, empty database. It writes the ledger of the migrator last, because no server uses tables without it. */
export class SchemaLoader {
  readonly #handle: DatabaseHandle;
  readonly #plan: RestorePlan;
  #steps: readonly Step[] = [];
  #columns = new Map<string, TargetColumn[]>();

  constructor(handle: DatabaseHandle, plan: RestorePlan) {
    this.#handle = handle;
    this.#plan = plan;
  }

  /** Empties the tables again, because rows that migrations insert are in the backup too. */
  async build(migrations: readonly string[]): Promise<void> {
    const { database } = this.#handle;
    this.#steps = stepsTo(migrations, this.#plan.migrations, database.sql.family);
    // `write` would prepare the statements, which does not work for all schema changes.
    for (const { statement } of this.#steps) await database.sequelize.query({ query: statement, values: [] });
    this.#columns = await columnsOf(database);
    for (const table of this.#columns.keys()) await database.write(`DELETE FROM ${table}`);
  }

  table({ name, columns }: CopiedTable): { insert(rows: readonly CopiedRow[]): Promise<void> } {
    const table_columns = LEDGER.includes(name) ? undefined : this.#columns.get(name);
    if (!table_columns) throw CopyErrors.damaged(`its migrations create no table ${name.slice(0, 64)}`);
    const target = columns.map((column) => table_columns.find((one) => one.name === column));
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
      throw toRestoreError(table, error);
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
      const layouts = layoutsOf(this.#plan.migrations, this.#plan.version);
      await recordLayouts(
        tx,
        layouts.filter(({ migration }) => restored.has(migration)),
        now,
      );
    });
    const applied = await this.#handle.migrate(this.#plan.migrations);
    for (const hook of this.#plan.afterRestore) await hook(database);
    return applied;
  }
}

/** Maps errors of a value, such as a duplicate key or a text that is too long, in which the two kinds of databases differ. */
function toRestoreError(table: string, error: unknown): unknown {
  if (isServiceError(error) && error.code !== 'row_exists') return error;
  const cause = error as Error & { errno?: number; parent?: { errno?: number } };
  const errno = cause.errno ?? cause.parent?.errno ?? 0;
  const is_value = isServiceError(error) || [1406, 1366, 1264, 1265].includes(errno);
  return is_value ? CopyErrors.valueRefused(`${table}: ${cause.message}`, { cause }) : error;
}
