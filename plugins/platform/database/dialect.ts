import type { SqlDialect } from '../../../kernel/contracts/index.ts';

export const sqliteDialect: SqlDialect = Object.freeze({
  family: 'sqlite',
  insert_ignore: 'INSERT OR IGNORE INTO',
  upsert: (key: readonly string[], columns: readonly string[]) =>
    columns.length === 0
      ? `ON CONFLICT (${key.join(', ')}) DO NOTHING`
      : `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${columns.map((c) => `${c} = excluded.${c}`).join(', ')}`,
});

/** MySQL deprecates `VALUES(c)`, but it is the only form that MariaDB, TiDB and Vitess support too. */
export const mysqlDialect: SqlDialect = Object.freeze({
  family: 'mysql',
  insert_ignore: 'INSERT IGNORE INTO',
  upsert: (key: readonly string[], columns: readonly string[]) =>
    `ON DUPLICATE KEY UPDATE ${(columns.length === 0 ? [`${key[0]} = ${key[0]}`] : columns.map((c) => `${c} = VALUES(${c})`)).join(', ')}`,
});
