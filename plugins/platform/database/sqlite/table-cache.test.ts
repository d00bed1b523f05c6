import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Transaction } from '../../../../kernel/contracts/index.ts';
import { openAt, type Opened } from '../engines.testsuite.ts';
import { writtenTable } from './table-cache.ts';

async function opened(t: Test): Promise<{ first: Opened; second: Opened }> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-table-cache-'));
  const url = `sqlite:${join(folder, 'svc.db')}`;
  const [first, second] = [await openAt(url), await openAt(url)];
  t.teardown(async () => {
    await first.close();
    await second.close();
    await rm(folder, { recursive: true, force: true });
  });
  for (const table of ['counters', 'others']) {
    await first.database.write(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)`);
    await first.database.write(`INSERT INTO ${table} (id, n) VALUES (1, 0)`);
  }
  return { first, second };
}

let loads = 0;
const cachedCount = (tx: Transaction): Promise<number> =>
  tx.cached('count', ['counters'], async () => {
    loads += 1;
    const [row] = await tx.read<{ n: number }>('SELECT n FROM counters WHERE id = 1');
    return row!.n;
  });

const raise = (tx: Transaction, table = 'counters'): Promise<number> =>
  tx.write(`UPDATE ${table} SET n = n + 1 WHERE id = 1`);

t.test('a cached value holds until its table changes', async (t) => {
  const { first } = await opened(t);
  const { database } = first;
  loads = 0;
  const count = () => database.transaction(cachedCount);
  t.same([await count(), await count(), loads], [0, 0, 1]);
  await database.transaction((tx) => raise(tx, 'others'));
  await database.transaction((tx) => tx.write('UPDATE counters SET n = 9 WHERE id = 2'));
  t.same([await count(), loads], [0, 1], 'other tables, and statements without effect, change nothing');
  await database.transaction(async (tx) => {
    await raise(tx);
    t.equal(await cachedCount(tx), 1, 'a transaction sees what it has written');
  });
  await database.write('UPDATE counters SET n = n + 1');
  t.equal(await count(), 2, 'a write outside of transactions counts too');
  await database.sequelize.query('UPDATE counters SET n = n + 1');
  t.equal(await count(), 3, 'and so does one of Sequelize');
});

t.test('what another process has committed is seen', async (t) => {
  const { first, second } = await opened(t);
  for (let n = 0; n < 3; n++) {
    t.equal(await first.database.transaction(cachedCount), n);
    await second.database.transaction((tx) => raise(tx));
  }
});

t.test('what was rolled back was never cached', async (t) => {
  const { first } = await opened(t);
  const { database } = first;
  const failing = (before?: Promise<unknown>) =>
    database.transaction(async (tx) => {
      await before;
      await raise(tx);
      t.equal(await cachedCount(tx), 1);
      tx.setCached('count', ['counters'], 77);
      throw new Error('undone');
    });
  await t.rejects(failing(), { message: 'undone' });
  t.equal(await database.transaction(cachedCount), 0, 'of a transaction that was alone');
  const committed = database.transaction((tx) => raise(tx, 'others'));
  const results = await Promise.allSettled([committed, failing(), database.transaction(cachedCount)]);
  t.match(results, [{ status: 'fulfilled' }, { status: 'rejected' }, { status: 'fulfilled', value: 0 }]);
});

t.test('a value that follows from a write replaces the cached one', async (t) => {
  const { first } = await opened(t);
  const { database } = first;
  await database.transaction(async (tx) => {
    await raise(tx);
    tx.setCached('count', ['counters'], 1);
  });
  loads = 0;
  t.equal(await database.transaction(cachedCount), 1);
  t.equal(loads, 0);
});

t.test('the table of a statement is found, or every table may have changed', async (t) => {
  const tables = {
    'INSERT INTO a (b) VALUES (?)': 'a',
    'INSERT OR IGNORE INTO a (b) VALUES (?)': 'a',
    ' insert into `a` (b) select b from c': 'a',
    'UPDATE a SET b = (SELECT b FROM c)': 'a',
    'DELETE FROM a WHERE b IN (SELECT b FROM c)': 'a',
    'WITH c AS (SELECT 1) UPDATE a SET b = 1': undefined,
    'CREATE TABLE a (b)': undefined,
  };
  for (const [statement, table] of Object.entries(tables)) t.equal(writtenTable(statement), table, statement);
});

t.test('outside of transactions, a cached value holds until a change of its table is committed', async (t) => {
  const { first, second } = await opened(t);
  const { database } = first;
  loads = 0;
  const count = (meanwhile: () => Promise<unknown> = async () => undefined): Promise<number> =>
    database.cached('count', ['counters'], async () => {
      loads += 1;
      const [row] = await database.read<{ n: number }>('SELECT n FROM counters WHERE id = 1');
      await meanwhile();
      return row!.n;
    });
  t.same([await count(), await count(), loads], [0, 0, 1]);
  await database.write('UPDATE others SET n = n + 1');
  t.same([await count(), loads], [0, 1], 'other tables change nothing');
  await database.transaction(async (tx) => {
    await raise(tx);
    t.same([await count(), loads], [0, 1], 'what is not committed is not seen');
  });
  t.same([await count(), await count(), loads], [1, 1, 2]);
  await t.rejects(
    database.transaction(async (tx) => {
      await raise(tx);
      throw new Error('undone');
    }),
    { message: 'undone' },
  );
  t.equal(await count(), 1, 'what was rolled back never counts');
  await database.sequelize.query('UPDATE counters SET n = n + 1');
  t.equal(await count(), 2, 'a write of Sequelize counts');
  await database.write('UPDATE counters SET n = n + 1');
  t.equal(await count(() => database.write('UPDATE counters SET n = n + 1')), 3);
  t.equal(await count(), 4, 'a value that was read before a commit is not kept');
  await second.database.transaction((tx) => raise(tx));
  t.equal(await count(), 5, 'what another process has committed is seen');
  await database.write('CREATE TABLE more (id INTEGER)');
  loads = 0;
  await count();
  t.equal(loads, 1, 'after another change of the database, everything is read again');
});
