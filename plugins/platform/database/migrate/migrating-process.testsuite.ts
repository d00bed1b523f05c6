import { fileURLToPath } from 'node:url';
import type { Database, Param, PluginMigrations, Queries, Transaction } from '../../../../kernel/contracts/index.ts';
import { openAt } from '../engines.testsuite.ts';
import { migrate } from './migrate.ts';

const id = 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin';
/** Detects a step that runs twice: its table already exists, or there is a second row without a key. */
const mark = (name: string) => `INSERT INTO alpha_marks (name) VALUES ('${name}')`;

/** Two plugins, each with changes of the schema and of data between them. */
export const exampleMigrations: PluginMigrations[] = [
  {
    plugin: 'alpha',
    migrations: [
      {
        name: '0002-more',
        sqlite: ['ALTER TABLE alpha_things ADD COLUMN size INTEGER', mark('0002')],
        mysql: ['ALTER TABLE alpha_things ADD COLUMN size BIGINT', mark('0002')],
      },
      {
        name: '0001-alpha',
        sqlite: [
          'CREATE TABLE alpha_marks (name TEXT NOT NULL)',
          'CREATE TABLE alpha_things (id TEXT NOT NULL PRIMARY KEY)',
          mark('0001'),
        ],
        mysql: [
          `CREATE TABLE alpha_marks (name ${id} NOT NULL)`,
          `CREATE TABLE alpha_things (id ${id} NOT NULL PRIMARY KEY)`,
          mark('0001'),
        ],
      },
    ],
  },
  {
    plugin: 'beta',
    migrations: [
      {
        name: '0001-beta',
        sqlite: [
          'CREATE TABLE beta_things (id TEXT NOT NULL PRIMARY KEY, n INTEGER NOT NULL)',
          'CREATE INDEX beta_things_n ON beta_things (n, id)',
          mark('beta'),
        ],
        mysql: [
          `CREATE TABLE beta_things (id ${id} NOT NULL PRIMARY KEY, n BIGINT NOT NULL)`,
          'CREATE INDEX beta_things_n ON beta_things (n, id)',
          mark('beta'),
        ],
      },
    ],
  },
];

/** A database whose process is killed right before the statement that matches `fatal` for the `count`th time. */
function killing(database: Database, fatal: RegExp, count: number): Database {
  let seen = 0;
  const fatally =
    (write: Queries['write']): Queries['write'] =>
    (statement, params) => {
      if (fatal.test(statement) && ++seen === count) process.kill(process.pid, 'SIGKILL');
      return write(statement, params);
    };
  return Object.assign(Object.create(database) as Database, {
    sql: database.sql,
    sequelize: database.sequelize,
    now: () => database.now(),
    read: (statement: string, params?: readonly Param[]) => database.read(statement, params),
    write: fatally((statement, params) => database.write(statement, params)),
    transaction: (work: Parameters<Database['transaction']>[0]) =>
      database.transaction((tx) => {
        const read: Queries['read'] = (statement, params) => tx.read(statement, params);
        const write = fatally((statement, params) => tx.write(statement, params));
        // Steps use nothing else.
        return work({ read, write } as Transaction);
      }),
  });
}

/** `migrating-process.testsuite.ts <url> [<fatal statement> <count>]`: opens, migrates, prints what it applied. */
async function main([url, fatal, count]: readonly string[]): Promise<void> {
  const handle = await openAt(url!);
  try {
    const deps = { clock: handle.clock, log: handle.log, ids: handle.ids };
    const database = fatal ? killing(handle.database, new RegExp(fatal), Number(count)) : handle.database;
    process.stdout.write(JSON.stringify(await migrate(database, exampleMigrations, deps, '1.0.0')));
  } finally {
    await handle.close();
  }
}

export const processFile = fileURLToPath(import.meta.url);
if (process.argv[1] === processFile) await main(process.argv.slice(2));
