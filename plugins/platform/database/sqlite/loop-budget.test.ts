import t from 'tap';
import { openFor } from '../engines.testsuite.ts';
import { LoopBudget } from './loop-budget.ts';

/** Takes far longer than a turn of the event loop may. */
const SLOW =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT COUNT(*) AS n FROM n';

// @apart: it counts the turns of the event loop.
t.test('however many reads wait, the event loop runs between any two slow ones', async (t) => {
  const { database } = await openFor(t, `sqlite:${t.testdir()}/svc.db`);
  let turns = 0;
  let beating = true;
  const beat = () => {
    turns += 1;
    if (beating) setImmediate(beat);
  };
  const readIn: number[] = [];
  await database.read(SLOW);
  setImmediate(beat);
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      await database.read(SLOW);
      readIn.push(turns);
    }),
  );
  beating = false;
  t.equal(readIn.length, 40);
  t.ok(new Set(readIn).size >= 39, `reads ended in the turns ${readIn.join(' ')}`);
});

t.test('a transaction goes on in each turn, however many readers fill it', async (t) => {
  const { writers, readers } = new LoopBudget();
  const done: string[] = [];
  const read = (n: number) =>
    readers.defer(() => {
      done.push('r');
      readers.record(100);
      if (n > 0) read(n - 1);
    });
  // Each has waited for a turn of its own when the next one is asked for.
  for (let n = 0; n < 3; n += 1) read(20);
  const statement = (): void | Promise<void> => {
    if (!writers.exhausted) {
      done.push('w');
      return writers.record(0.05);
    }
    return new Promise<void>((resolve) => writers.defer(resolve)).then(statement);
  };
  writers.record(100);
  for (let n = 0; n < 20; n += 1) await statement();
  t.equal(done.filter((one) => one === 'w').length, 20);
  t.ok(done.filter((one) => one === 'r').length <= 2, done.join(''));
});

t.test('a transaction that takes all of its turns leaves each reader one', async (t) => {
  const { writers, readers } = new LoopBudget();
  const done: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = (share: typeof writers, name: string) => () => {
    done.push(name);
    share.record(100);
    if (done.length === 6) resolve();
  };
  for (const name of ['w1', 'w2', 'w3']) writers.defer(work(writers, name));
  for (const name of ['r1', 'r2', 'r3']) readers.defer(work(readers, name));
  await promise;
  t.same(done, ['w1', 'r1', 'w2', 'r2', 'w3', 'r3']);
});

t.test('short work that has waited shares a turn', async (t) => {
  const { readers } = new LoopBudget();
  readers.record(100);
  t.ok(readers.exhausted);
  let ran = 0;
  let immediates = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  for (let n = 0; n < 500; n += 1)
    readers.defer(() => {
      ran += 1;
      readers.record(0);
      if (ran === 500) resolve();
    });
  setImmediate(() => (immediates += 1));
  await promise;
  t.ok(immediates <= 1);
  t.notOk(readers.exhausted);
});
