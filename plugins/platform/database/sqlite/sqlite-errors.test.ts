import { mkdir, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Clock } from '../../../../kernel/contracts/index.ts';
import { countRows, makeTables, openAt, openFor } from '../engines.testsuite.ts';
import { systemClock } from '../../../../test/kit/services.ts';

const INSERT = 'INSERT INTO test_counts (id, n) VALUES (?, ?)';

async function folder(t: Test): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'svc-database-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

t.test('SQLite files', async (t) => {
  const home = await folder(t);

  await t.test('the file is 0600, its folder 0700', async (t) => {
    const path = join(home, 'made', 'deep', 'svc.db');
    const { database } = await openFor(t, `sqlite:${path}`);
    await makeTables(database);
    t.equal((await stat(join(home, 'made'))).mode & 0o777, 0o700);
    const names = await readdir(join(home, 'made', 'deep'));
    t.strictSame(names.sort(), ['svc.db', 'svc.db-shm', 'svc.db-wal']);
    for (const name of names) t.equal((await stat(join(home, 'made', 'deep', name))).mode & 0o777, 0o600, name);
    const [row] = await database.read<{ journal_mode: string }>('PRAGMA journal_mode');
    t.equal(row!.journal_mode, 'wal');
  });

  await t.test('what cannot be opened says why', async (t) => {
    await writeFile(join(home, 'plain'), 'text');
    await writeFile(join(home, 'garbage.db'), 'this is no database at all, '.repeat(1000));
    await mkdir(join(home, 'folder.db'));
    await t.rejects(openAt(`sqlite:${home}/plain/svc.db`), { code: 'database_unavailable', message: /plain/ });
    await t.rejects(openAt(`sqlite:${home}/garbage.db`), { code: 'database_corrupt', message: /garbage\.db/ });
    await t.rejects(openAt(`sqlite:${home}/folder.db`), { code: 'database_unavailable', message: /folder\.db/ });
  });

  await t.test('a file cut short is told from one that is only busy', async (t) => {
    const path = join(home, 'cut.db');
    const first = await openAt(`sqlite:${path}`);
    await makeTables(first.database);
    for (let i = 0; i < 300; i++) await first.database.write(INSERT, [`${'x'.repeat(500)}${i}`, i]);
    await first.close();
    await truncate(path, 20_480);
    const reads = async () => {
      const handle = await openAt(`sqlite:${path}`);
      await handle.database.read('SELECT * FROM test_counts').finally(() => handle.close());
    };
    await t.rejects(reads(), { code: 'database_corrupt' });
  });

  await t.test('a full disk refuses without harm, and it goes on when there is room', async (t) => {
    const handle = await openFor(t, `sqlite:${home}/full.db`);
    const { database, group_commits } = handle;
    await makeTables(database);
    const [{ page_count }] = (await database.read<{ page_count: number }>('PRAGMA page_count')) as [
      { page_count: number },
    ];
    await database.write(`PRAGMA max_page_count = ${page_count + 10}`);
    const queue = group_commits.create<string, string>({
      name: 'full',
      max_batch: 8,
      flush: async (tx, batch) => {
        for (const id of batch) await tx.write(INSERT, [id, 1]);
        return batch.map((id) => ({ ok: id }));
      },
    });
    const outcomes: string[] = [];
    const submit = (i: number) =>
      queue.submit(`${'y'.repeat(900)}${i}`).then(
        () => outcomes.push('ok'),
        (error: { code: string }) => outcomes.push(error.code),
      );
    await Promise.all(Array.from({ length: 200 }, (_, i) => submit(i)));
    const kept = outcomes.filter((outcome) => outcome === 'ok').length;
    t.ok(kept > 0 && kept < 200, `${kept} fitted`);
    t.strictSame([...new Set(outcomes)].sort(), ['ok', 'storage_full']);
    t.equal(await countRows(handle), kept, 'kept is what was acknowledged');
    await t.rejects(
      database.transaction(async (tx) => {
        for (let i = 0; i < 50; i++) await tx.write(INSERT, [`${'z'.repeat(900)}${i}`, i]).catch(() => undefined);
      }),
      { code: 'storage_full' },
      'also when the work swallows the fault that ended its transaction',
    );
    t.equal(await countRows(handle), kept);
    await database.write('PRAGMA max_page_count = 1000000');
    t.equal(await database.write(INSERT, ['room', 1]), 1);
  });

  await t.test('a transaction that waits for itself is refused in the end', async (t) => {
    let expire: () => void = () => undefined;
    const clock: Clock = {
      ...systemClock,
      after: (_delay, run) => {
        expire = run;
        return () => undefined;
      },
    };
    const { database } = await openFor(t, 'sqlite::memory:', { clock });
    await makeTables(database);
    const waits = database.transaction(async (tx) => {
      await tx.write(INSERT, ['inner', 1]);
      const inner = database.write(INSERT, ['outer', 1]);
      await new Promise((resolve) => setImmediate(resolve));
      expire();
      await inner;
    });
    await t.rejects(waits, { code: 'database_busy', message: /inside a transaction, use only that transaction/ });
    t.strictSame(await database.read('SELECT id FROM test_counts'), []);
    t.equal(await database.write(INSERT, ['after', 1]), 1);
  });
});
