import { createHash } from 'node:crypto';
import type { PluginMigrations, SqlDialect } from '../../../../kernel/contracts/index.ts';

/** One statement of a migration. */
export interface Step {
  /** The recorded name: `runs/0001-runs#02`. */
  name: string;
  /** `runs/0001-runs`. */
  migration: string;
  statement: string;
  /** SHA-256 of the statement without white space, in hexadecimal. */
  digest: string;
}

/** Changes that older code can live with. A column that must be set is none of them, and neither is a unique index. */
const ADDS =
  /^\s*(CREATE TABLE\b|CREATE INDEX\b|ALTER TABLE \S+ ADD COLUMN \S+ (?!.*\bUNIQUE\b)((?!.*\bNOT NULL\b)|.*\bDEFAULT\b))/is;

/** Returns every statement of every plugin: plugins in the given order, and the migrations of each sorted by name. */
export function stepsOf(list: readonly PluginMigrations[], family: SqlDialect['family']): Step[] {
  return list.flatMap(({ plugin, migrations }) => {
    const sorted = [...migrations].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const [index, { name }] of sorted.entries())
      if (sorted[index + 1]?.name === name) throw new Error(`${plugin} has two migrations with the name ${name}`);
    for (const { name, additive, [family]: statements } of sorted) {
      const other = additive ? statements.find((statement) => !ADDS.test(statement)) : undefined;
      if (other !== undefined)
        throw new Error(
          `${plugin}/${name} is not additive: servers without it cannot work with "${other.trim().slice(0, 80)}"`,
        );
    }
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
