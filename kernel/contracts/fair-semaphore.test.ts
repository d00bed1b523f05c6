import t from 'tap';
import { FairSemaphore } from './fair-semaphore.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

t.test('few work at a time, in the order in which they came', async (t) => {
  const turns = new FairSemaphore(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  let most = 0;
  const all = Array.from({ length: 6 }, (_, n) =>
    turns.run(async () => {
      begun.push(n);
      most = Math.max(most, begun.length - ends.filter((end) => end === done).length);
      await new Promise<void>((resolve) => ends.push(resolve));
      return n;
    }),
  );
  t.same(begun, [0, 1]);
  for (let n = 0; n < 6; n++) {
    const end = ends[n]!;
    ends[n] = done;
    end();
    await settled();
    await settled();
  }
  t.same(begun, [0, 1, 2, 3, 4, 5]);
  t.ok(most <= 2, `${most} at once`);
  t.same(await Promise.all(all), [0, 1, 2, 3, 4, 5]);
  await settled();
  t.equal(turns.active, 0);
});

t.test('a turn that fails is given on', async (t) => {
  const turns = new FairSemaphore(1);
  const failed = turns.run(async () => Promise.reject(new Error('it broke')));
  const next = turns.run(async () => 'done');
  await t.rejects(failed, /it broke/);
  t.equal(await next, 'done');
});

t.test('those with different keys take turns, however many one of them has', async (t) => {
  const turns = new FairSemaphore(1);
  const done: string[] = [];
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) =>
    turns.run(async () => {
      done.push(name);
    }, name[0]),
  );
  await Promise.all(all);
  t.same(done, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

function done(): void {}
