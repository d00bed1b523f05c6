import t from 'tap';
import { Slices } from './slices.ts';

/** Time that goes on by what is done; tasks run when they are asked to. */
function byHand() {
  let at = 0;
  const tasks: (() => void)[] = [];
  const later = (work: () => void) => {
    tasks.push(work);
    return () => void tasks.splice(tasks.indexOf(work), 1);
  };
  const slices = new Slices({ now: () => at, later });
  const done: number[] = [];
  const add = (n: number, ms: number) =>
    slices.add(() => {
      at += ms;
      done.push(n);
    });
  return { slices, add, done, tasks, next: () => tasks.shift()!() };
}

t.test('work is done in order, a task takes no more than a slice, and nothing is left', async (t) => {
  const { add, done, tasks, next } = byHand();
  for (let n = 0; n < 5; n++) add(n, 3);
  t.equal(tasks.length, 1);
  next();
  t.same(done, [0, 1, 2]);
  add(5, 3);
  t.equal(tasks.length, 1, 'the rest is asked for already');
  next();
  t.same(done, [0, 1, 2, 3, 4, 5]);
  t.equal(tasks.length, 0);
  add(6, 3);
  next();
  t.equal(done.at(-1), 6);
});

t.test('nothing is done after the end, also when the work itself ends it', async (t) => {
  const { slices, add, done, tasks, next } = byHand();
  add(0, 1);
  slices.close();
  t.equal(tasks.length, 0);
  slices.add(() => slices.close());
  add(1, 30);
  next();
  t.same([done, tasks.length], [[], 0]);
});

t.test('an error is told, and the rest is done', async (t) => {
  const { slices, add, done, next } = byHand();
  slices.add(() => {
    throw new Error('no JSON');
  });
  add(1, 1);
  t.throws(next, { message: 'no JSON' });
  next();
  t.same(done, [1]);
});
