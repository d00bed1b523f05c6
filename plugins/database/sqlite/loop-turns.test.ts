import t from 'tap';
import { openFor } from '../engines.testsuite.ts';
import { LoopTurns } from './loop-turns.ts';

/** Takes far longer than a turn of the event loop may. */
const SLOW =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT COUNT(*) AS n FROM n';

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

t.test('the writer is served first in each turn, and at least one reader', async (t) => {
  const turns = new LoopTurns();
  const done: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = (name: string) => () => {
    done.push(name);
    turns.spend(100);
    if (done.length === 6) resolve();
  };
  turns.spend(100);
  t.ok(turns.due);
  for (const name of ['r1', 'r2', 'r3']) turns.wait(turns.readers, work(name));
  for (const name of ['w1', 'w2', 'w3']) turns.wait(turns.writers, work(name));
  await promise;
  t.same(done, ['w1', 'r1', 'w2', 'r2', 'w3', 'r3']);
});

t.test('short work that has waited shares a turn', async (t) => {
  const turns = new LoopTurns();
  turns.spend(100);
  let ran = 0;
  let immediates = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  for (let n = 0; n < 500; n += 1)
    turns.wait(turns.readers, () => {
      ran += 1;
      turns.spend(0);
      if (ran === 500) resolve();
    });
  setImmediate(() => (immediates += 1));
  await promise;
  t.ok(immediates <= 1);
  t.notOk(turns.due);
});
