import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Clock, Database } from '../../../../kernel/contracts/index.ts';
import { walState } from '../../../../test/kit/wal.ts';
import { systemClock } from '../../../../test/kit/services.ts';
import { makeTables, openAt, openFor } from '../engines.testsuite.ts';

const INSERT = 'INSERT INTO test_counts (id, n) VALUES (?, ?)';
const IDS = 'SELECT id FROM test_counts ORDER BY id';

/** With a clock that stands still no group grows too old to take another, however slow the machine is. */
const standingClock: Clock = { ...systemClock, monotonic: () => 0 };

async function opened(t: Test, clock: Clock = standingClock) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-shared-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'svc.db');
  const { database } = await openFor(t, `sqlite:${path}`, { clock });
  await makeTables(database);
  const commits = async () => (await walState(path)).commits;
  return { database, path, commits };
}

const ids = async (database: Database) => (await database.read<{ id: string }>(IDS)).map(({ id }) => id);

/** Holds the writer until `go`, so that others wait for it. */
function held(database: Database, id: string) {
  const gate = Promise.withResolvers<void>();
  const done = database.transaction(async (tx) => {
    await tx.write(INSERT, [id, 0]);
    await gate.promise;
  });
  return { done, go: () => gate.resolve() };
}

t.test('transactions that wait share a commit', async (t) => {
  const { database, path, commits } = await opened(t);
  const before = await commits();
  const first = held(database, 'a');
  const told: string[] = [];
  const others = ['b', 'c', 'd'].map((id) =>
    database.transaction(async (tx) => {
      tx.afterCommit(() => told.push(id));
      t.same(told, [], 'nothing is told before the commit');
      t.same(await ids(database), [], 'and nobody else sees anything');
      await tx.write(INSERT, [id, 1]);
    }),
  );
  const single = database.write(INSERT, ['e', 1]);
  first.go();
  await Promise.all([first.done, ...others, single]);
  t.equal((await commits()) - before, 1, 'five in one commit');
  t.same(told, ['b', 'c', 'd']);
  const outside = await openAt(`sqlite:${path}`);
  t.same(await ids(outside.database), ['a', 'b', 'c', 'd', 'e']);
  await outside.close();
});

t.test('what fails is undone alone', async (t) => {
  const { database } = await opened(t);
  const first = held(database, 'a');
  const told: string[] = [];
  const attempt = (id: string, fault?: Error) =>
    database.transaction(async (tx) => {
      tx.afterCommit(() => told.push(id));
      await tx.write(INSERT, [id, 1]);
      if (fault) throw fault;
      return id;
    });
  const results = [
    attempt('b'),
    attempt('c', new Error('changed its mind')),
    database.transaction(async (tx) => {
      await tx.write(INSERT, ['d', 1]);
      await tx.write(INSERT, ['b', 2]);
    }),
    database.write(INSERT, ['a', 2]),
    attempt('e'),
  ];
  first.go();
  const outcomes = await Promise.allSettled([first.done, ...results]);
  const shown = outcomes.map((one) => (one.status === 'fulfilled' ? 'ok' : (one.reason.code ?? one.reason.message)));
  t.same(shown, ['ok', 'ok', 'changed its mind', 'row_exists', 'row_exists', 'ok']);
  t.same(await ids(database), ['a', 'b', 'e']);
  t.same(told, ['b', 'e']);
});

t.test('what SQLite rolls back as a whole is refused as a whole, and each hears its own reason', async (t) => {
  const { database } = await opened(t);
  await database.write(INSERT, ['taken', 1]);
  const first = held(database, 'a');
  const second = database.transaction(async (tx) => {
    // Stands for a full disk, after which SQLite may do the same.
    await tx.write('INSERT OR ROLLBACK INTO test_counts (id, n) VALUES (?, ?)', ['taken', 2]).catch(() => {
      throw new Error('my own words');
    });
  });
  first.go();
  await t.rejects(second, { message: 'my own words' });
  await t.rejects(first.done, { code: 'database_unavailable', message: /together with another transaction/ });
  t.same(await ids(database), ['taken']);
});

t.test('the first may fail, and the others are kept', async (t) => {
  const { database } = await opened(t);
  const gate = Promise.withResolvers<void>();
  const first = database.transaction(async (tx) => {
    await tx.write(INSERT, ['a', 0]);
    await gate.promise;
    throw new Error('no');
  });
  const second = database.write(INSERT, ['b', 1]);
  gate.resolve();
  await t.rejects(first, { message: 'no' });
  t.equal(await second, 1);
  t.same(await ids(database), ['b']);
});

/** Limits the size of files that this process may write, in bytes, as far as it may raise it again. */
const limitFiles = (bytes: number | 'unlimited') =>
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);

t.test('when the commit fails, all are refused and nothing is kept', async (t) => {
  const { database, path } = await opened(t);
  // The kernel would end the process otherwise; with a handler, the write fails.
  const ignored = () => undefined;
  process.on('SIGXFSZ', ignored);
  t.teardown(() => process.off('SIGXFSZ', ignored));
  const told: string[] = [];
  const first = held(database, 'a');
  const second = database.transaction(async (tx) => {
    tx.afterCommit(() => told.push('b'));
    await tx.write(INSERT, ['b', 1]);
  });
  limitFiles((await stat(`${path}-wal`)).size);
  first.go();
  const outcomes = await Promise.allSettled([first.done, second]).finally(() => limitFiles('unlimited'));
  t.same(
    outcomes.map((one) => one.status === 'rejected' && one.reason.code),
    ['commit_unknown', 'commit_unknown'],
  );
  t.same([told, await ids(database)], [[], []]);
  t.equal(await database.write(INSERT, ['after', 1]), 1);
  t.same(await ids(database), ['after']);
});

t.test('one that does nothing while others wait for it is undone', async (t) => {
  const looks: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    monotonic: () => 0,
    after: (delay_ms, run) => {
      if (delay_ms !== 100) return systemClock.after(delay_ms, run);
      looks.push(run);
      return () => undefined;
    },
  };
  const { database } = await opened(t, clock);
  const first = held(database, 'a');
  // It waits for one that waits for its commit: without help both would wait for ever.
  const stuck = database.transaction(async (tx) => {
    await tx.write(INSERT, ['b', 1]);
    await first.done;
    await tx.write(INSERT, ['c', 1]);
  });
  const refused = t.rejects(stuck, { code: 'database_busy', message: /did nothing while others waited/ });
  first.go();
  for (let look = 0; look < 20; look += 1) {
    while (looks.length === 0) await new Promise((resolve) => setImmediate(resolve));
    looks.shift()!();
  }
  await first.done;
  await refused;
  t.same(await ids(database), ['a']);
  t.equal(await database.write(INSERT, ['after', 1]), 1);
});

t.test('two that opened the same file do not share', async (t) => {
  const { database, path } = await opened(t);
  const other = await openFor(t, `sqlite:${path}`);
  const first = held(database, 'a');
  const second = other.database.write(INSERT, ['b', 1]);
  const third = database.write(INSERT, ['c', 1]);
  first.go();
  await Promise.all([first.done, second, third]);
  t.same(await ids(database), ['a', 'b', 'c']);
});
