import { insertRows, type PluginMigrations, type Queries } from '../../../kernel/contracts/index.ts';

/** Migrations that a refusal names. */
const MAX_NAMED = 3;

/** What is recorded of a migration beside its steps, for versions of svc that do not have it. */
export interface Layout {
  /** `runs/0001-runs`. */
  migration: string;
  /** `svc 0.2.0`, or a plugin that is no part of svc with its version. */
  made_by: string;
  additive: number;
}

const nameOf = (plugin: string, name: string): string => `${plugin}/${name}`;

/** `version`: of this svc. */
export function layoutsOf(list: readonly PluginMigrations[], version: string): Layout[] {
  return list.flatMap(({ plugin, version: own, builtin = false, migrations }) =>
    migrations.map(({ name, additive = false }) => ({
      migration: nameOf(plugin, name),
      made_by: builtin || own === undefined ? `svc ${version}` : `${plugin} ${own}`,
      additive: additive ? 1 : 0,
    })),
  );
}

/** Records migrations that begin. One that began before keeps the version that began it. */
export async function recordLayouts(
  queries: Pick<Queries, 'read' | 'write' | 'sql'>,
  layouts: readonly Layout[],
  now: number,
): Promise<void> {
  const recorded = new Set((await layoutsIn(queries)).map(({ migration }) => migration));
  const rows = layouts
    .filter(({ migration }) => !recorded.has(migration))
    .map(({ migration, made_by, additive }) => [migration, made_by, additive, now]);
  const columns = ['migration', 'made_by', 'additive', 'recorded_at'];
  await insertRows(queries, `${queries.sql.insert_ignore} kernel_layouts`, columns, rows);
}

const layoutsIn = (queries: Pick<Queries, 'read'>): Promise<Layout[]> =>
  queries.read<Layout>('SELECT migration, made_by, additive FROM kernel_layouts');

/**
 * What a newer version has done to the tables of these plugins that this one may not work with; undefined when there is
 * nothing. Steps of plugins that are not loaded concern nobody.
 */
export async function newerLayout(
  queries: Pick<Queries, 'read'>,
  list: readonly PluginMigrations[],
): Promise<string | undefined> {
  const loaded = new Set(list.map(({ plugin }) => plugin));
  const known = new Set(list.flatMap(({ plugin, migrations }) => migrations.map(({ name }) => nameOf(plugin, name))));
  const steps = await queries.read<{ name: string }>('SELECT name FROM kernel_migrations ORDER BY name');
  const migrations = new Set(steps.map(({ name }) => name.slice(0, name.lastIndexOf('#'))));
  const unknown = [...migrations].filter((name) => !known.has(name) && loaded.has(name.slice(0, name.indexOf('/'))));
  if (unknown.length === 0) return undefined;
  const layouts = new Map((await layoutsIn(queries)).map((layout) => [layout.migration, layout]));
  const breaking = unknown.filter((name) => Number(layouts.get(name)?.additive ?? 0) === 0);
  if (breaking.length === 0) return undefined;
  const named = breaking.slice(0, MAX_NAMED).map((name) => {
    const by = layouts.get(name)?.made_by;
    return by === undefined ? name : `${name} (of ${by})`;
  });
  const more = breaking.length > MAX_NAMED ? ` and ${breaking.length - MAX_NAMED} more` : '';
  return `${named.join(', ')}${more}`;
}

/** How many steps are recorded: another number says that somebody has migrated. */
export async function countSteps(queries: Pick<Queries, 'read'>): Promise<number> {
  const [row] = await queries.read<{ steps: number }>('SELECT COUNT(*) AS steps FROM kernel_migrations');
  return Number(row!.steps);
}
