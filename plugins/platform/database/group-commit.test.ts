import t, { type Test } from 'tap';
import { type BatchOutcome, type Database, Errors, type Transaction } from '../../../kernel/contracts/index.ts';
import { systemClock } from '../../../test/kit/index.ts';
import { DatabaseGroupCommits } from './group-commit.ts';
import { type Engine, makeTables, onEngines, openAt, openFresh } from './engines.testsuite.ts';

const INSERT = 'INSERT INTO test_counts (id, n) VALUES (?, ?)';

async function order(t: Test, engine: Engine): Promise<void> {
  const { database, group_commits, url } = await openFresh(t, engine);
  const outside = await openAt(url);
  t.teardown(() => outside.close());
  await makeTables(database);
  const batches: number[] = [];
  let inFlight = 0;
  let position = 0;
  const queue = group_commits.create<string, number>({
    name: 'order',
    max_batch: 50,
    flush: async (tx, batch) => {
      t.equal(++inFlight, 1, 'one batch is in flight');
      tx.afterCommit(() => {
        inFlight--;
        batches.push(batch.length);
      });
      const outcomes: BatchOutcome<number>[] = [];
      for (const id of batch) {
        await tx.write(INSERT, [id, ++position]);
        outcomes.push({ ok: position });
      }
      return outcomes;
    },
  });
  const answers = await Promise.all(
    Array.from({ length: 230 }, async (_, i) => {
      const answer = await queue.submit(`item-${i}`);
      if (i % 23 === 0) {
        const rows = await outside.database.read('SELECT n FROM test_counts WHERE id = ?', [`item-${i}`]);
        t.strictSame(rows, [{ n: answer }], 'acknowledged after the commit');
      }
      return answer;
    }),
  );
  t.strictSame(
    answers,
    Array.from({ length: 230 }, (_, i) => i + 1),
    'each got its own answer, in order',
  );
  t.strictSame(batches, [50, 50, 50, 50, 30], 'what came together went together, within the bound');
}

async function poison(t: Test, engine: Engine): Promise<void> {
  const { database, group_commits } = await openFresh(t, engine);
  await makeTables(database);
  await database.write(INSERT, ['taken', 0]);
  let calls = 0;
  const queue = group_commits.create<string, string>({
    name: 'poison',
    max_batch: 64,
    flush: async (tx, batch) => {
      calls++;
      const outcomes: BatchOutcome<string>[] = [];
      for (const id of batch) {
        if (id === 'refused') {
          outcomes.push({ error: new Error('refused by outcome') });
          continue;
        }
        await tx.write(INSERT, [id, 1]);
        outcomes.push({ ok: id });
      }
      return outcomes;
    },
  });
  const ids = Array.from({ length: 32 }, (_, i) => (i === 13 ? 'taken' : i === 20 ? 'refused' : `p-${i}`));
  const results = await Promise.allSettled(ids.map((id) => queue.submit(id)));
  for (const [i, result] of results.entries()) {
    if (ids[i] === 'taken') t.match(result, { status: 'rejected', reason: { code: 'row_exists' } });
    else if (ids[i] === 'refused') t.match(result, { status: 'rejected', reason: { message: 'refused by outcome' } });
    else t.strictSame(result, { status: 'fulfilled', value: ids[i] });
  }
  t.strictSame(await database.read('SELECT COUNT(*) AS c FROM test_counts WHERE n = 1'), [{ c: 30 }]);
  t.equal(calls, 11, 'halved five times: one whole, and two for every cut');
}

async function ends(t: Test, engine: Engine): Promise<void> {
  const { url, drop } = await engine.fresh();
  t.teardown(drop);
  const handle = await openAt(url);
  await makeTables(handle.database);
  const rules = {
    max_batch: 2,
    flush: async (tx: Transaction, batch: readonly string[]) => {
      for (const id of batch) await tx.write(INSERT, [id, 1]);
      return batch.map((id) => ({ ok: id }));
    },
  };
  const queue = handle.group_commits.create<string, string>({ name: 'ends', ...rules });
  await queue.drain();
  const settled: string[] = [];
  const submitted = ['a', 'b', 'c', 'd', 'e'].map((id) => queue.submit(id).then((answer) => settled.push(answer)));
  await queue.drain();
  await Promise.all(submitted);
  t.strictSame(settled, ['a', 'b', 'c', 'd', 'e']);

  const wrong = handle.group_commits.create<string, string>({ name: 'wrong', max_batch: 9, flush: async () => [] });
  await t.rejects(wrong.submit('x'), /wrong returned 0 outcomes for 1 items/);
  t.throws(() => handle.group_commits.create<string, string>({ name: 'none', ...rules, max_batch: 0 }), RangeError);

  const last = [queue.submit('f'), queue.submit('g'), queue.submit('h')];
  await handle.close();
  t.strictSame(await Promise.all(last), ['f', 'g', 'h'], 'closing settles what was submitted');
  await t.rejects(queue.submit('late'), { code: 'database_unavailable' });
  await t.rejects(handle.database.read('SELECT 1'), { code: 'database_unavailable' });
  await t.rejects(handle.database.write('DELETE FROM test_counts'), { code: 'database_unavailable' });
  await t.rejects(
    handle.database.transaction(async () => undefined),
    { code: 'database_unavailable' },
  );
  const again = await openAt(url);
  t.teardown(() => again.close());
  t.strictSame(await again.database.read('SELECT COUNT(*) AS c FROM test_counts'), [{ c: 8 }]);
}

/** An item that needs work outside of its transaction holds up no other, and is settled before the end. */
async function outside(t: Test, engine: Engine): Promise<void> {
  const { url, drop } = await engine.fresh();
  t.teardown(drop);
  const handle = await openAt(url);
  await makeTables(handle.database);
  const done = new Set<string>();
  const gate = Promise.withResolvers<void>();
  const queue = handle.group_commits.create<string, string>({
    name: 'outside',
    max_batch: 9,
    flush: async (tx, batch) => {
      for (const id of batch) {
        await tx.write(INSERT, [id, 1]);
        if (!id.startsWith('far') || done.has(id)) continue;
        const work = async () => {
          await gate.promise;
          if (id === 'far-broken') throw new Error('the work fails');
          done.add(id);
        };
        throw Errors.unavailable(id, { outside: work });
      }
      return batch.map((id) => ({ ok: id }));
    },
  });
  const far = Promise.allSettled([queue.submit('far'), queue.submit('far-broken')]);
  const near = ['a', 'b', 'c'].map((id) => queue.submit(id));
  t.strictSame(await Promise.all(near), ['a', 'b', 'c'], 'the others are committed meanwhile');
  t.strictSame(await handle.database.read('SELECT id FROM test_counts ORDER BY id'), [
    { id: 'a' },
    { id: 'b' },
    { id: 'c' },
  ]);
  t.equal(await queue.submit('d'), 'd', 'and later ones');
  const closed = handle.close();
  gate.resolve();
  await closed;
  t.match(await far, [{ value: 'far' }, { reason: { message: 'the work fails' } }]);
}

/** A server that does not yet see what another has committed. */
async function behind(t: Test, engine: Engine): Promise<void> {
  const { database } = await openFresh(t, engine);
  let current = false;
  const lagging = {
    sql: database.sql,
    transaction: database.transaction.bind(database),
    catchUp: async () => {
      current = true;
      return true;
    },
  } as Database;
  const asked: string[][] = [];
  const queue = new DatabaseGroupCommits(lagging, systemClock).create<string, string>({
    name: 'behind',
    max_batch: 9,
    flush: async (_, batch) => {
      asked.push([...batch]);
      return batch.map((id) => (id === 'here' || (id === 'late' && current) ? { ok: id } : { error: new Error(id) }));
    },
  });
  const answers = await Promise.allSettled(['here', 'late', 'never'].map((id) => queue.submit(id)));
  t.match(answers, [{ value: 'here' }, { value: 'late' }, { reason: { message: 'never' } }]);
  t.same(asked, [
    ['here', 'late', 'never'],
    ['late', 'never'],
  ]);
}

await t.test('group commit', (t) =>
  onEngines(t, async (t, engine) => {
    await t.test('order, bounds and acknowledgement', (t) => order(t, engine));
    await t.test('a poisonous item fails alone', (t) => poison(t, engine));
    await t.test('work outside of the transaction', (t) => outside(t, engine));
    await t.test('what is refused is looked at again', (t) => behind(t, engine));
    await t.test('drain, close and faults of the flush', (t) => ends(t, engine));
  }),
);
