import type { PluginMigrations, SqlDialect } from '../../../../kernel/contracts/index.ts';
import { type Step, stepsOf } from '../migrate/steps.ts';
import { CopyErrors } from '../contract/copy-errors.ts';

export interface LedgerRow {
  name: string;
  /** NULL while the step runs, or when the process died during it. */
  applied_at: number | null;
}

export const LEDGER = ['kernel_migrations', 'kernel_migration_lock', 'kernel_layouts'];

/**
 * Returns the migrations that a ledger records, sorted by name. Both kinds of databases have the same migrations with
 * different steps. Throws `backup_unmigrated` when a step is missing or unfinished.
 */
export function appliedMigrations(
  rows: readonly LedgerRow[],
  list: readonly PluginMigrations[],
  family: SqlDialect['family'],
): string[] {
  const running = rows.find(({ applied_at }) => applied_at === null);
  if (running) throw CopyErrors.unmigrated(`the step ${running.name} was started and has not ended`);
  const applied = new Set(rows.map(({ name }) => name));
  const migrations_applied = new Set([...applied].map((name) => name.slice(0, name.lastIndexOf('#'))));
  for (const name of withoutSteps(list, family, migrations_applied)) migrations_applied.add(name);
  const missing = stepsOf(list, family).find(
    ({ name, migration }) => migrations_applied.has(migration) && !applied.has(name),
  );
  if (missing) throw CopyErrors.unmigrated(`${missing.migration} was started; its step ${missing.name} is missing`);
  return [...migrations_applied].sort();
}

/** Migrations without steps for this kind of database count as applied once a later one of the plugin was applied. */
function withoutSteps(list: readonly PluginMigrations[], family: SqlDialect['family'], applied: ReadonlySet<string>) {
  return list.flatMap(({ plugin, migrations }) => {
    const last = migrations
      .map(({ name }) => name)
      .filter((name) => applied.has(`${plugin}/${name}`))
      .sort()
      .at(-1);
    return migrations
      .filter((migration) => last !== undefined && migration[family].length === 0 && migration.name < last)
      .map(({ name }) => `${plugin}/${name}`);
  });
}

/** Returns the steps of these migrations, in the order of this process. Throws `backup_newer` for unknown migrations. */
export function stepsTo(
  migrations: readonly string[],
  list: readonly PluginMigrations[],
  family: SqlDialect['family'],
): Step[] {
  const requested = new Set(migrations);
  const steps = stepsOf(list, family).filter(({ migration }) => requested.has(migration));
  const existing = new Set(
    list.flatMap(({ plugin, migrations: plugin_migrations }) =>
      plugin_migrations.map(({ name }) => `${plugin}/${name}`),
    ),
  );
  const unknown = migrations.filter((name) => !existing.has(name));
  if (unknown.length === 0) return steps;
  const more = unknown.length > 5 ? ` and ${unknown.length - 5} more` : '';
  throw CopyErrors.newer(`this svc does not have the migrations ${unknown.slice(0, 5).join(', ')}${more}`);
}

/** Tells whether a table belongs to one of the plugins: its name then begins with the id of the plugin. */
export function isPluginTable(table: string, migrations: readonly string[]): boolean {
  const plugins = new Set(migrations.map((name) => name.slice(0, name.indexOf('/')).replaceAll('-', '_')));
  return [...plugins].some((plugin) => table.startsWith(`${plugin}_`));
}
