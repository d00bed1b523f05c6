import type { PluginMigrations, SqlDialect } from '../../../kernel/contracts/index.ts';
import { type Step, stepsOf } from '../migrate/steps.ts';
import { CopyErrors } from '../contract/copy-errors.ts';

export interface LedgerRow {
  name: string;
  /** NULL while the step runs, or when the process died during it. */
  applied_at: number | null;
}

export const LEDGER = ['kernel_migrations', 'kernel_migration_lock', 'kernel_layouts'];

/**
 * The migrations that a ledger has, as a whole and in its order. Databases of both kinds have the same migrations, with
 * other steps. Throws `backup_unmigrated` when a step is missing.
 */
export function appliedMigrations(
  rows: readonly LedgerRow[],
  list: readonly PluginMigrations[],
  family: SqlDialect['family'],
): string[] {
  const running = rows.find(({ applied_at }) => applied_at === null);
  if (running) throw CopyErrors.unmigrated(`the step ${running.name} was begun and has not ended`);
  const applied = new Set(rows.map(({ name }) => name));
  const found = new Set([...applied].map((name) => name.slice(0, name.lastIndexOf('#'))));
  for (const name of withoutSteps(list, family, found)) found.add(name);
  const missing = stepsOf(list, family).find(({ name, migration }) => found.has(migration) && !applied.has(name));
  if (missing) throw CopyErrors.unmigrated(`${missing.migration} was begun; its step ${missing.name} is missing`);
  return [...found].sort();
}

/** Some migrations are for one kind of database only. Where a later one of the plugin was applied, these count as applied too. */
function withoutSteps(list: readonly PluginMigrations[], family: SqlDialect['family'], applied: ReadonlySet<string>) {
  return list.flatMap(({ plugin, migrations }) => {
    const last = migrations
      .map(({ name }) => name)
      .filter((name) => applied.has(`${plugin}/${name}`))
      .sort()
      .at(-1);
    return migrations
      .filter((one) => last !== undefined && one[family].length === 0 && one.name < last)
      .map(({ name }) => `${plugin}/${name}`);
  });
}

/** The steps of these migrations, in the order of this process. Throws `backup_newer`. */
export function stepsTo(
  migrations: readonly string[],
  list: readonly PluginMigrations[],
  family: SqlDialect['family'],
): Step[] {
  const wanted = new Set(migrations);
  const steps = stepsOf(list, family).filter(({ migration }) => wanted.has(migration));
  const known = new Set(list.flatMap(({ plugin, migrations: own }) => own.map(({ name }) => `${plugin}/${name}`)));
  const unknown = migrations.filter((name) => !known.has(name));
  if (unknown.length === 0) return steps;
  const more = unknown.length > 5 ? ` and ${unknown.length - 5} more` : '';
  throw CopyErrors.newer(`this svc does not have the migrations ${unknown.slice(0, 5).join(', ')}${more}`);
}

/** The tables of plugins begin with the id of the plugin. */
export function isOwned(table: string, migrations: readonly string[]): boolean {
  const plugins = new Set(migrations.map((name) => name.slice(0, name.indexOf('/')).replaceAll('-', '_')));
  return [...plugins].some((plugin) => table.startsWith(`${plugin}_`));
}
