import mysql2 from 'mysql2/promise';
import t, { type Test } from 'tap';
import { longestHold, maxHoldMs } from '../../../test/kit/index.ts';
import { type Engine, makeTables, onEngines, openAt, openFresh } from './engines.testsuite.ts';

/** Resolves for all once `count` have arrived. */
function barrier(count: number): () => Promise<void> {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let arrived = 0;
  return () => {
    if (++arrived === count) open();
    return opened;
  };
}

async function deadlock(t: Test, engine: Engine): Promise<void> {
  const { database } = await openFresh(t, engine);
  await makeTables(database);
  await database.write("INSERT INTO test_counts (id, n) VALUES ('a', 0), ('b', 0)");
  const meet = barrier(2);
  let runs = 0;
  let committed = 0;
  const both = (first: string, second: string) => {
    let met = false;
    return database.transaction(async (tx) => {
      runs++;
      tx.afterCommit(() => {
        committed++;
      });
      await tx.write('UPDATE test_counts SET n = n + 1 WHERE id = ?', [first]);
      if (!met) await meet();
      met = true;
      await tx.write('UPDATE test_counts SET n = n + 1 WHERE id = ?', [second]);
    });
  };
  await Promise.all([both('a', 'b'), both('b', 'a')]);
  t.equal(runs, 3, 'the victim ran again');
  t.equal(committed, 2);
  t.strictSame(await database.read('SELECT n FROM test_counts'), [{ n: 2 }, { n: 2 }]);

  await t.test('a victim that swallows the fault does not commit the rest by itself', async (t) => {
    const meet = barrier(2);
    let swallowed = 0;
    const careless = (first: string, second: string) => {
      let met = false;
      return database.transaction(async (tx) => {
        await tx.write('UPDATE test_counts SET n = n + 1 WHERE id = ?', [first]);
        if (!met) await meet();
        met = true;
        await tx.write('UPDATE test_counts SET n = n + 1 WHERE id = ?', [second]).catch(() => {
          swallowed++;
        });
      });
    };
    await Promise.all([careless('a', 'b'), careless('b', 'a')]);
    t.equal(swallowed, 1);
    t.strictSame(await database.read('SELECT n FROM test_counts'), [{ n: 4 }, { n: 4 }]);
  });
}

async function lockWait(t: Test, engine: Engine): Promise<void> {
  const { database, url } = await openFresh(t, engine);
  await makeTables(database);
  await database.write("INSERT INTO test_counts (id, n) VALUES ('a', 0), ('b', 0)");
  const rival = await mysql2.createConnection(url);
  t.teardown(() => rival.end());
  await rival.query('START TRANSACTION');
  await rival.query("UPDATE test_counts SET n = 100 WHERE id = 'b'");
  let runs = 0;
  await database.transaction(async (tx) => {
    runs++;
    if (runs === 2) await rival.query('ROLLBACK');
    await tx.write('SET SESSION innodb_lock_wait_timeout = 1');
    await tx.write("UPDATE test_counts SET n = n + 1 WHERE id = 'a'");
    await tx.write("UPDATE test_counts SET n = n + 1 WHERE id = 'b'");
  });
  t.equal(runs, 2, 'it waited in vain once');
  t.strictSame(await database.read('SELECT n FROM test_counts'), [{ n: 1 }, { n: 1 }], 'the first run left nothing');
}

async function twoProcesses(t: Test, engine: Engine): Promise<void> {
  const first = await openFresh(t, engine);
  const second = await openAt(first.url);
  t.teardown(() => second.close());
  await makeTables(first.database);
  await first.database.write("INSERT INTO test_counts (id, n) VALUES ('x', 0)");
  const add = ({ database }: typeof first) =>
    database.transaction(async (tx) => {
      const [row] = await tx.lock<{ n: number }>({
        table: 'test_counts',
        key: ['id'],
        columns: 'n',
        where: "id = 'x'",
        params: [],
      });
      await tx.write("UPDATE test_counts SET n = ? WHERE id = 'x'", [row!.n + 1]);
    });
  await Promise.all(Array.from({ length: 200 }, (_, i) => add(i % 2 ? first : second)));
  t.strictSame(await second.database.read('SELECT n FROM test_counts'), [{ n: 200 }]);
}

async function starvation(t: Test, engine: Engine): Promise<void> {
  const { database } = await openFresh(t, engine);
  await makeTables(database);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  const { ms } = await longestHold(() =>
    Promise.all(
      Array.from({ length: 1000 }, (_, i) =>
        database.transaction(async (tx) => {
          for (let n = 0; n < 5; n++) await tx.write('INSERT INTO test_counts (id, n) VALUES (?, ?)', [`${i}-${n}`, n]);
          await tx.read('SELECT COUNT(*) AS c FROM test_counts WHERE n = ?', [i % 5]);
        }),
      ),
    ),
  );
  clearInterval(timer);
  t.ok(ms < maxHoldMs(), `the loop was held for ${ms.toFixed(1)} ms`);
  t.ok(ticks > 3, `${ticks} turns were given`);
  t.strictSame(await database.read('SELECT COUNT(*) AS c FROM test_counts'), [{ c: 5000 }]);
}

await t.test('contention', (t) =>
  onEngines(t, async (t, engine) => {
    await t.test('two that open the same database', (t) => twoProcesses(t, engine));
    await t.test('1,000 transactions at once let a timer run', (t) => starvation(t, engine));
    if (engine.name !== 'MySQL') return;
    await t.test('a deadlock is run again', (t) => deadlock(t, engine));
    await t.test('a lock wait is rolled back and run again', (t) => lockWait(t, engine));
  }),
);
