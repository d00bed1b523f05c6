import { createHash } from 'node:crypto';
import type { Migration, SqlDialect } from '../../contracts/index.ts';

export interface PluginMigrations {
  plugin: string;
  migrations: readonly Migration[];
}

/** One statement of a migration. */
export interface Step {
  /** `runs/0001-runs#02`: recorded when applied. */
  name: string;
  /** `runs/0001-runs`. */
  migration: string;
  statement: string;
  /** SHA-256 of the statement without its spacing, hexadecimal. */
  digest: string;
}

/** Every statement of every plugin: plugins in the order given, each one's migrations by name. */
export function stepsOf(list: readonly PluginMigrations[], family: SqlDialect['family']): Step[] {
  return list.flatMap(({ plugin, migrations }) => {
    const sorted = [...migrations].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const [index, { name }] of sorted.entries())
      if (sorted[index + 1]?.name === name) throw new Error(`${plugin} has two migrations named ${name}`);
    return sorted.flatMap((migration) =>
      migration[family].map((statement, index) => ({
        name: `${plugin}/${migration.name}#${String(index + 1).padStart(2, '0')}`,
        migration: `${plugin}/${migration.name}`,
        statement,
        digest: createHash('sha256').update(statement.trim().replaceAll(/\s+/g, ' ')).digest('hex'),
      })),
    );
  });
}
