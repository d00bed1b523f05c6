import { insertRows, type PluginMigrations, type Queries } from '../../../../kernel/contracts/index.ts';

/** How many migrations an error lists. */
const MAX_NAMED = 3;

/** What is recorded about a migration besides its steps, for versions of svc that do not have it. */
export interface Layout {
  /** `runs/0001-runs`. */
  migration: string;
  /** `svc 0.2.0`, or the name and version of a third-party plugin. */
  made_by: string;
  additive: number;
}

const nameOf = (plugin: string, name: string): string => `${plugin}/${name}`;

/** Describes the migrations of these plugins. `version` is that of this svc. */
export function layoutsOf(list: readonly PluginMigrations[], version: string): Layout[] {
  return list.flatMap(({ plugin, version: plugin_version, builtin = false, migrations }) =>
    migrations.map(({ name, additive = false }) => ({
      migration: nameOf(plugin, name),
      made_by: builtin || plugin_version === undefined ? `svc ${version}` : `${plugin} ${plugin_version}`,
      additive: additive ? 1 : 0,
    })),
  );
}

/** Records migrations before they begin. One that began earlier keeps the version that began it. */
export async function recordLayouts(
  queries: Pick<Queries, 'read' | 'write' | 'sql'>,
  layouts: readonly Layout[],
  now: number,
): Promise<void> {
  const recorded = new Set((await readLayouts(queries)).map(({ migration }) => migration));
  const rows = layouts
    .filter(({ migration }) => !recorded.has(migration))
    .map(({ migration, made_by, additive }) => [migration, made_by, additive, now]);
  const columns = ['migration', 'made_by', 'additive', 'recorded_at'];
  await insertRows(queries, `${queries.sql.insert_ignore} kernel_layouts`, columns, rows);
}

const readLayouts = (queries: Pick<Queries, 'read'>): Promise<Layout[]> =>
  queries.read<Layout>('SELECT migration, made_by, additive FROM kernel_layouts');

/**
 * Describes the migrations that a newer version has applied to the tables of these plugins and that this version cannot work
 * with; undefined when there are none. Migrations of plugins that are not loaded do not matter.
 */
export async function newerLayout(
  queries: Pick<Queries, 'read'>,
  list: readonly PluginMigrations[],
): Promise<string | undefined> {
  const loaded = new Set(list.map(({ plugin }) => plugin));
  const migration_names = new Set(
    list.flatMap(({ plugin, migrations }) => migrations.map(({ name }) => nameOf(plugin, name))),
  );
  const steps = await queries.read<{ name: string }>('SELECT name FROM kernel_migrations ORDER BY name');
  const migrations = new Set(steps.map(({ name }) => name.slice(0, name.lastIndexOf('#'))));
  const unknown = [...migrations].filter(
    (name) => !migration_names.has(name) && loaded.has(name.slice(0, name.indexOf('/'))),
  );
  if (unknown.length === 0) return undefined;
  const layouts = new Map((await readLayouts(queries)).map((layout) => [layout.migration, layout]));
  const breaking = unknown.filter((name) => Number(layouts.get(name)?.additive ?? 0) === 0);
  if (breaking.length === 0) return undefined;
  const names = breaking.slice(0, MAX_NAMED).map((name) => {
    const by = layouts.get(name)?.made_by;
    return by === undefined ? name : `${name} (of ${by})`;
  });
  const more = breaking.length > MAX_NAMED ? ` and ${breaking.length - MAX_NAMED} more` : '';
  return `${names.join(', ')}${more}`;
}

/** Counts the recorded steps. A different number means that somebody has migrated the database. */
export async function countSteps(queries: Pick<Queries, 'read'>): Promise<number> {
  const [row] = await queries.read<{ steps: number }>('SELECT COUNT(*) AS steps FROM kernel_migrations');
  return Number(row!.steps);
}
