import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import type { Database } from '../../../../kernel/contracts/index.ts';
import { dumpSchema } from '../../../../test/tools/dump.ts';
import { alteredDatabase } from '../../../../test/kit/index.ts';
import { isLong } from '../../../../test/support/length.ts';
import { type Engine, type Opened, onEngines, openFresh } from '../engines.testsuite.ts';
import { migrate } from './migrate.ts';
import { exampleMigrations, processFile } from './migrating-process.testsuite.ts';

const VERSION = '1.0.0';
const ALL = ['alpha/0001-alpha', 'alpha/0002-more', 'beta/0001-beta'];

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

async function ended(child: ChildProcess): Promise<Ended> {
  const [[code, signal], out, err] = await Promise.all([
    once(child, 'close'),
    text(child.stdout!),
    text(child.stderr!),
  ]);
  return { code, signal, out, err };
}

const migrating = (...args: string[]) =>
  ended(spawn(process.execPath, [processFile, ...args], { stdio: ['ignore', 'pipe', 'pipe'] }));

async function assertOnce(t: Test, { database }: Opened): Promise<void> {
  const marks = await database.read<{ name: string }>('SELECT name FROM alpha_marks ORDER BY name');
  t.strictSame(
    marks.map(({ name }) => name),
    ['0001', '0002', 'beta'],
    'each step of data ran once',
  );
  const steps = await database.read<{ name: string }>(
    "SELECT name FROM kernel_migrations WHERE applied_at IS NOT NULL AND name NOT LIKE 'older/%'",
  );
  t.equal(steps.length, 8);
  const [lock] = await database.read<{ owner: string }>('SELECT owner FROM kernel_migration_lock');
  t.equal(lock!.owner, '', 'the lock is free');
  t.match(
    await dumpSchema(database),
    /beta_things\n {2}id .* not null\n {2}n (integer|bigint) not null\n {2}primary key \(id\)\n {2}index beta_things_n \(n, id\)/,
  );
}

/** Processes that begin to migrate at once. */
const CROWD = isLong ? 20 : 6;

async function crowd(t: Test, engine: Engine): Promise<void> {
  const handle = await openFresh(t, engine);
  const all = await Promise.all(Array.from({ length: CROWD }, () => migrating(handle.url)));
  for (const { code, err } of all) t.strictSame({ code, err }, { code: 0, err: '' });
  const applied = all.flatMap(({ out }) => JSON.parse(out) as string[]);
  t.strictSame([...new Set(applied)].sort(), ALL);
  // Where a process stands still for long, another goes on with what it had begun: then both name a migration.
  await assertOnce(t, handle);
}

/** A database that is not new. */
const OLDER = [{ plugin: 'older', migrations: [{ name: '0001-older', sqlite: ['SELECT 1'], mysql: ['SELECT 1'] }] }];

/** Dies between the statement and its record, or between two steps. The next process waits for the lock to expire. */
async function killed(t: Test, engine: Engine, fatal: string, count: number): Promise<void> {
  const handle = await openFresh(t, engine);
  await migrate(handle.database, OLDER, handle, VERSION);
  const first = await migrating(handle.url, fatal, String(count));
  t.equal(first.signal, 'SIGKILL', first.err);
  const [lock] = await handle.database.read<{ owner: string }>('SELECT owner FROM kernel_migration_lock');
  t.not(lock!.owner, '', 'it died with the lock');
  const [second, third] = await Promise.all([migrating(handle.url), migrating(handle.url)]);
  t.strictSame([second.code, third.code, second.err, third.err], [0, 0, '', '']);
  await assertOnce(t, handle);
}

/** Dies in the middle of the only transaction. */
async function killedWhenNew(t: Test, engine: Engine, fatal: string, count: number): Promise<void> {
  const handle = await openFresh(t, engine);
  const first = await migrating(handle.url, fatal, String(count));
  t.equal(first.signal, 'SIGKILL', first.err);
  t.strictSame(await handle.database.read('SELECT name FROM kernel_migrations'), []);
  t.strictSame(await handle.database.read("SELECT name FROM sqlite_master WHERE name LIKE 'alpha%'"), []);
  const [second, third] = await Promise.all([migrating(handle.url), migrating(handle.url)]);
  t.strictSame([second.code, third.code, second.err, third.err], [0, 0, '', '']);
  await assertOnce(t, handle);
}

async function faults(t: Test, engine: Engine): Promise<void> {
  const handle = await openFresh(t, engine);
  const { database } = handle;
  const run = (list: typeof exampleMigrations) => migrate(database, list, handle, VERSION);
  t.strictSame(await run([]), []);
  t.strictSame(await run(exampleMigrations), ALL);
  t.strictSame(await run(exampleMigrations), []);

  const gamma = (...statements: string[]) => [
    ...exampleMigrations,
    { plugin: 'gamma', migrations: [{ name: '0001-gamma', sqlite: statements, mysql: statements }] },
  ];
  const table = 'CREATE TABLE gamma_things (n BIGINT)';
  const broken = run(gamma(table, 'CREATE NONSENSE'));
  await t.rejects(broken, { code: 'migration_failed', message: /^gamma\/0001-gamma#02: .*NONSENSE/s });
  t.strictSame(await run(gamma(table, 'INSERT INTO gamma_things (n) VALUES (1)')), ['gamma/0001-gamma'], 'it goes on');
  t.strictSame(await database.read('SELECT n FROM gamma_things'), [{ n: 1 }]);

  const changed = run(gamma('CREATE TABLE gamma_things (n INT)', 'INSERT INTO gamma_things (n) VALUES (1)'));
  await t.rejects(changed, { code: 'migration_changed', message: /gamma\/0001-gamma#01/ });
  const twice = [{ plugin: 'delta', migrations: [gammaLike(), gammaLike()] }];
  await t.rejects(run(twice), /two migrations with the name/);
  t.strictSame(await run(exampleMigrations), [], 'steps of a plugin that is gone disturb nobody');
}

/** It stood still for so long that its lock expired, and another process has it for a moment. */
async function robbed(t: Test, engine: Engine): Promise<void> {
  const handle = await openFresh(t, engine);
  const { database } = handle;
  await migrate(database, OLDER, handle, VERSION);
  let renewals = 0;
  const write: Database['write'] = async (sql, params) => {
    if (sql.startsWith('UPDATE kernel_migration_lock SET expires_at') && ++renewals === 3)
      await database.write('UPDATE kernel_migration_lock SET owner = ?, expires_at = ?', [
        'other.1',
        database.now() + 300,
      ]);
    return database.write(sql, params);
  };
  const applied = await migrate(
    alteredDatabase(database, { write }),
    [...OLDER, ...exampleMigrations],
    handle,
    VERSION,
  );
  t.strictSame(applied.toSorted(), ALL, 'it waits for the lock again, and goes on');
  t.ok(renewals > 3);
  await assertOnce(t, handle);
}

const gammaLike = () => ({ name: '0001-x', sqlite: ['SELECT 1'], mysql: ['SELECT 1'] });

async function taken(t: Test, engine: Engine): Promise<void> {
  const handle = await openFresh(t, engine);
  await migrate(handle.database, [], handle, VERSION);
  await handle.database.write('CREATE TABLE beta_things (other BIGINT)');
  for (let attempt = 0; attempt < 2; attempt++)
    await t.rejects(migrate(handle.database, exampleMigrations, handle, VERSION), {
      code: 'migration_failed',
      message: /^beta\/0001-beta#01: .*exists/s,
    });
}

// Dozens of processes start here, on whatever machine.
t.setTimeout(600_000);

await t.test('migrations', (t) =>
  onEngines(t, async (t, engine) => {
    t.jobs = 3;
    const expiries = [
      t.test('killed between two steps', (t) => killed(t, engine, 'kernel_migration_lock SET expires_at', 5)),
      t.test('a statement that is refused', (t) => faults(t, engine)),
      t.test('a lock that another process took is waited for again', (t) => robbed(t, engine)),
      t.test('a table of somebody else is not taken for our own', (t) => taken(t, engine)),
    ];
    if (engine.name !== 'MySQL')
      expiries.push(
        t.test('a new one is killed between two steps, and has nothing', (t) =>
          killedWhenNew(t, engine, 'INTO alpha_marks', 2),
        ),
        t.test('a new one is killed before the record of its steps, and has nothing', (t) =>
          killedWhenNew(t, engine, 'INTO kernel_migrations ', 1),
        ),
      );
    if (engine.name === 'MySQL')
      expiries.push(
        t.test('killed between a change and its record', (t) =>
          killed(t, engine, 'kernel_migrations SET applied_at', 3),
        ),
      );
    await Promise.all(expiries);
    await t.test(`${CROWD} processes at once`, (t) => crowd(t, engine));
  }),
);
