import t, { type Test } from 'tap';
import { Errors, type Param, type Transaction } from '../../../kernel/contracts/index.ts';
import { type Engine, makeTables, onEngines, openFresh } from './engines.testsuite.ts';

async function values(t: Test, engine: Engine): Promise<void> {
  const { database } = await openFresh(t, engine);
  await makeTables(database);
  const insert = 'INSERT INTO test_values (id, name, body, n, f, b) VALUES (?, ?, ?, ?, ?, ?)';

  await t.test('come back as they were given', async (t) => {
    const rows: [string, Param, Param, Param, Param, Param][] = [
      ['plain', 'Émile 💾', 'line\nline', 1, 0.5, Buffer.from('bytes')],
      ['least', '', '', Number.MIN_SAFE_INTEGER, -1e-7, Buffer.alloc(0)],
      [
        'most',
        'a'.repeat(255),
        '\u0000x\u0000',
        Number.MAX_SAFE_INTEGER,
        1.5e-300,
        Buffer.from([...Array(256).keys()]),
      ],
      ['null', null, null, null, null, null],
      ['large', 'x', '💾'.repeat(100_000), 0, 0, Buffer.alloc(3 << 20, 7)],
    ];
    for (const row of rows) t.equal(await database.write(insert, row), 1);
    for (const [id, name, body, n, f, b] of rows) {
      const [row] = await database.read('SELECT * FROM test_values WHERE id = ?', [id]);
      t.strictSame(row, { id, name, body, n, f, b }, id);
      t.ok(b === null || Buffer.isBuffer(row!.b), 'a blob is a Buffer');
    }
  });

  await t.test('what cannot be kept exactly is refused', async (t) => {
    for (const bad of [2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, true, undefined, {}, new Uint8Array(2), 5n]) {
      const params = ['bad', null, null, bad as Param, null, null];
      await t.rejects(database.write(insert, params), /too large to be stored exactly|a parameter is a/, String(bad));
      await t.rejects(database.read('SELECT ?', [bad as Param]), /too large to be stored exactly|a parameter is a/);
    }
    t.strictSame(await database.read('SELECT id FROM test_values WHERE id = ?', ['bad']), []);
    await database.write('INSERT INTO test_counts (id, n) VALUES (?, 9007199254740993)', ['beyond']);
    await t.rejects(database.read('SELECT n FROM test_counts WHERE id = ?', ['beyond']), RangeError);
  });

  await t.test('compare by bytes, whatever looks like a number', async (t) => {
    for (const name of ['a', 'A', 'á', '0', '00'])
      await database.write('INSERT INTO test_values (id, name) VALUES (?, ?)', [
        `cmp-${Buffer.from(name).toString('hex')}`,
        name,
      ]);
    for (const name of ['a', 'A', 'á', '0', '00'])
      t.strictSame(await database.read('SELECT name FROM test_values WHERE name = ?', [name]), [{ name }]);
  });

  await t.test('aggregates and bounds are numbers on every engine', async (t) => {
    await database.write("INSERT INTO test_counts (id, n) VALUES ('s1', 40), ('s2', 2)");
    const sql = "SELECT COUNT(*) AS c, SUM(n) AS s, MAX(n) AS m FROM test_counts WHERE id IN ('s1', 's2')";
    t.strictSame(await database.read(sql), [{ c: 2, s: 42, m: 40 }]);
    t.equal((await database.read('SELECT id FROM test_counts ORDER BY id LIMIT ?', [2])).length, 2);
  });
}

async function counts(t: Test, engine: Engine): Promise<void> {
  const { database } = await openFresh(t, engine);
  await makeTables(database);
  const { insert_ignore, upsert } = database.sql;
  t.equal(await database.write('INSERT INTO test_counts (id, n) VALUES (?, ?), (?, ?)', ['a', 1, 'b', 1]), 2);
  t.equal(
    await database.write('UPDATE test_counts SET n = ? WHERE id = ?', [1, 'a']),
    1,
    'a match counts, changed or not',
  );
  t.equal(
    await database.write('UPDATE test_counts SET n = 2 WHERE id = ? AND n = ?', ['a', 9]),
    0,
    'a guard that fails',
  );
  t.equal(await database.write(`${insert_ignore} test_counts (id, n) VALUES (?, 5), (?, 5)`, ['a', 'c']), 1);
  const sql = `INSERT INTO test_counts (id, n) VALUES (?, ?) ${upsert(['id'], ['n'])}`;
  await database.write(sql, ['a', 7]);
  await database.write(sql, ['d', 8]);
  await database.write(`INSERT INTO test_counts (id, n) VALUES (?, ?) ${upsert(['id'], [])}`, ['d', 99]);
  const rows = await database.read<{ id: string; n: number }>('SELECT id, n FROM test_counts ORDER BY id');
  t.strictSame(
    rows.map(({ id, n }) => `${id}${n}`),
    ['a7', 'b1', 'c5', 'd8'],
  );
  await t.rejects(database.write('INSERT INTO test_counts (id, n) VALUES (?, 1)', ['a']), {
    code: 'row_exists',
    status: 409,
  });
  await t.rejects(database.read('SELECT nonsense FROM nowhere'), Error);
  await database.ping();
  t.equal(await database.catchUp(), false, 'one server sees everything');
}

async function transactions(t: Test, engine: Engine): Promise<void> {
  const handle = await openFresh(t, engine);
  const { database } = handle;
  await makeTables(database);
  const add = (tx: Pick<Transaction, 'write'>, id: string) =>
    tx.write('INSERT INTO test_counts (id, n) VALUES (?, 0)', [id]);
  const ids = async () =>
    (await database.read<{ id: string }>('SELECT id FROM test_counts ORDER BY id')).map(({ id }) => id);

  await t.test('commit', async (t) => {
    const seen: string[] = [];
    const result = await database.transaction(async (tx) => {
      tx.afterCommit(() => seen.push('first'));
      await add(tx, 'committed');
      t.equal((await tx.read('SELECT id FROM test_counts')).length, 1, 'it sees its own writes');
      tx.afterCommit(() => seen.push('second'));
      t.strictSame(seen, []);
      return 'result';
    });
    t.equal(result, 'result');
    t.strictSame(seen, ['first', 'second']);
    t.strictSame(await ids(), ['committed']);
  });

  await t.test('roll back', async (t) => {
    let called = false;
    const work = database.transaction(async (tx) => {
      tx.afterCommit(() => {
        called = true;
      });
      await add(tx, 'undone');
      throw new Error('no');
    });
    await t.rejects(work, { message: 'no' });
    t.notOk(called);
    t.strictSame(await ids(), ['committed']);
  });

  await t.test('a taken key is told and leaves the rest of the transaction standing', async (t) => {
    await database.transaction(async (tx) => {
      await add(tx, 'before');
      await t.rejects(add(tx, 'committed'), { code: 'row_exists' });
      await add(tx, 'behind');
    });
    t.strictSame(await ids(), ['before', 'behind', 'committed']);
  });

  await t.test('a callback that throws is logged and the next one runs', async (t) => {
    let second = false;
    await database.transaction(async (tx) => {
      await add(tx, 'called');
      tx.afterCommit(() => {
        throw new Error('callback broke');
      });
      tx.afterCommit(() => {
        second = true;
      });
    });
    t.ok(second);
    t.match(handle.log.lines.join('\n'), /callback broke/);
  });

  await t.test('work outside of it is done while nothing is held', async (t) => {
    let done = false;
    const attempts: string[][] = [];
    const result = await database.transaction(async (tx) => {
      attempts.push(
        (await tx.read<{ id: string }>("SELECT id FROM test_counts WHERE id LIKE 'out%'")).map(({ id }) => id),
      );
      await add(tx, 'outer');
      if (done) return 'done';
      const work = async () => {
        await database.transaction((other) => add(other, 'outside'));
        done = true;
      };
      throw Errors.unavailable('a test', { outside: work });
    });
    t.equal(result, 'done');
    t.strictSame(attempts, [[], ['outside']], 'the first attempt was rolled back');
    const failing = database.transaction(async () => {
      throw Errors.unavailable('a test', { outside: () => Promise.reject(new Error('the work fails')) });
    });
    await t.rejects(failing, { message: 'the work fails' });
  });

  await t.test('nothing is written through a transaction that is over', async (t) => {
    let kept: Transaction | undefined;
    await database.transaction(async (tx) => {
      kept = tx;
    });
    await t.rejects(add(kept!, 'late'), /has ended/);
    t.throws(() => kept!.afterCommit(() => undefined), /has ended/);
    t.notOk((await ids()).includes('late'));
  });
}

async function isolation(t: Test, engine: Engine): Promise<void> {
  const { database } = await openFresh(t, engine);
  await makeTables(database);
  await database.write("INSERT INTO test_counts (id, n) VALUES ('x', 0)");
  const n = async () => (await database.read<{ n: number }>("SELECT n FROM test_counts WHERE id = 'x'"))[0]!.n;

  await t.test('nobody reads what is not committed', async (t) => {
    await database.transaction(async (tx) => {
      await tx.write("UPDATE test_counts SET n = 5 WHERE id = 'x'");
      t.equal(await n(), 0);
    });
    t.equal(await n(), 5);
  });

  await t.test('300 writers that read first lose no update', async (t) => {
    await Promise.all(
      Array.from({ length: 300 }, () =>
        database.transaction(async (tx) => {
          const [row] = await tx.lock<{ n: number }>({
            table: 'test_counts',
            key: ['id'],
            columns: 'n',
            where: "id = 'x'",
            params: [],
          });
          await tx.write("UPDATE test_counts SET n = ? WHERE id = 'x'", [row!.n + 1]);
        }),
      ),
    );
    t.equal(await n(), 305);
  });
}

await t.test('the contract', (t) =>
  onEngines(
    t,
    async (t, engine) => {
      await t.test('values', (t) => values(t, engine));
      await t.test('counts of rows', (t) => counts(t, engine));
      await t.test('transactions', (t) => transactions(t, engine));
      if (engine.name !== 'SQLite memory') await t.test('isolation', (t) => isolation(t, engine));
    },
    { memory: true },
  ),
);
