import t from 'tap';
import type { Database } from '../../../kernel/contracts/index.ts';
import { openAt } from './engines.testsuite.ts';
import { DatabaseErrors } from './errors.ts';
import { migrate } from './migrate/migrate.ts';
import { WriteProbe } from './write-probe.ts';
import { WriteState } from './write-state.ts';

/** A clock that stands, so that the pause between two probes is over when the test says so. */
function standing() {
  let now = 0;
  const clock = {
    now: () => now,
    monotonic: () => now,
    after: (ms: number, run: () => void) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
  return { clock, pass: (ms: number) => (now += ms) };
}

async function place() {
  const { clock, pass } = standing();
  const handle = await openAt('sqlite::memory:');
  t.teardown(() => handle.close());
  const { database, writes } = handle;
  await migrate(database, [], handle, '0.1.0');
  await database.write('CREATE TABLE probe_rows (body TEXT)');
  const [{ page_count } = { page_count: 0 }] = await database.read<{ page_count: number }>('PRAGMA page_count');
  /** SQLite then answers what it answers on a full disk. */
  const roomFor = (pages: number) => database.read(`PRAGMA max_page_count = ${page_count + pages}`);
  const put = (bytes: number) => database.write('INSERT INTO probe_rows (body) VALUES (?)', ['x'.repeat(bytes)]);
  return { database, writes, probe: new WriteProbe(database, writes, clock), pass, roomFor, put };
}

t.test('readiness fails from the first write that the disk did not take until one is taken', async (t) => {
  const { probe, pass, roomFor, put, writes } = await place();
  await probe.check();
  await roomFor(16);
  await probe.check();
  await t.rejects(put(200_000), { code: 'storage_full' });
  await t.rejects(probe.check(), { code: 'storage_full' }, 'room for little is no room for work');
  await roomFor(1000);
  await t.rejects(probe.check(), { code: 'storage_full' }, 'it is not asked again at once');
  pass(1000);
  await probe.check();
  t.equal(writes.failure, undefined);
  await put(200_000);
});

t.test('a small write that is taken does not end it', async (t) => {
  const { probe, pass, roomFor, put } = await place();
  await put(10);
  await roomFor(1);
  await t.rejects(put(200_000), { code: 'storage_full' });
  await put(10);
  await t.rejects(probe.check(), { code: 'storage_full' }, 'there is room for little');
  pass(1000);
  await t.rejects(probe.check(), { code: 'storage_full' });
  await roomFor(1000);
  pass(1000);
  await probe.check();
});

t.test('where a probe says little of the disk, a write that failed counts for a while', async (t) => {
  const { clock, pass } = standing();
  const writes = new WriteState();
  const fail = () => writes.track(() => Promise.reject(DatabaseErrors.storageFull('the table is full')));
  let probes = 0;
  const transaction = async <T>() => void (probes += 1) as T;
  const probe = new WriteProbe({ sql: { family: 'mysql' }, transaction } as unknown as Database, writes, clock);
  await t.rejects(fail(), { code: 'storage_full' });
  await t.rejects(probe.check(), { code: 'storage_full' });
  pass(10_000);
  await t.rejects(fail(), { code: 'storage_full' });
  await t.rejects(probe.check(), { code: 'storage_full' });
  pass(10_000);
  await t.rejects(probe.check(), { code: 'storage_full' }, 'from the last one on');
  t.equal(probes, 0);
  pass(5_000);
  await probe.check();
  t.equal(probes, 1);
});

t.test('what a caller did wrong says nothing of the disk', async (t) => {
  const { database, probe, writes } = await place();
  await database.write('CREATE UNIQUE INDEX probe_rows_body ON probe_rows (body)');
  const twice = () => database.write("INSERT INTO probe_rows (body) VALUES ('a')");
  await twice();
  await t.rejects(twice(), { code: 'row_exists' });
  await t.rejects(
    database.transaction(async () => {
      throw new Error('no');
    }),
  );
  t.equal(writes.failure, undefined);
  await probe.check();
});

t.test('many who ask at once share one probe', async (t) => {
  const { database, probe, roomFor, put } = await place();
  await roomFor(1);
  await t.rejects(put(200_000), { code: 'storage_full' });
  let transactions = 0;
  const real = database.transaction.bind(database);
  database.transaction = (work) => {
    transactions += 1;
    return real(work);
  };
  const asked = await Promise.allSettled(Array.from({ length: 20 }, () => probe.check()));
  t.ok(asked.every(({ status }) => status === 'rejected'));
  t.equal(transactions, 1);
});
