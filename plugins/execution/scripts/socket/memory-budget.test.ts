import t from 'tap';
import { MemoryBudget } from './memory-budget.ts';

const KIB = 1024;

function reader() {
  const state = { paused: false };
  return {
    state,
    pause: () => void (state.paused = true),
    resume: () => void (state.paused = false),
  };
}

t.test('long lines wait for their turn, and short ones do not', async (t) => {
  const room = new MemoryBudget();
  const readers = Array.from({ length: 6 }, reader);
  const paused = () => readers.map(({ state }) => state.paused);
  for (const one of readers) room.updateLine(one, 64 * KIB, true);
  t.same(paused(), [false, false, false, false, true, true]);
  room.updateLine(readers[0]!, 8 * KIB * KIB, true);
  const other = reader();
  room.updateLine(other, 10 * KIB, true);
  t.notOk(other.state.paused);
  room.updateLine(readers[1]!, 0, true);
  t.same(paused(), [false, false, false, false, false, true], 'a line is whole');
  room.removeReader(readers[0]!);
  t.same(paused(), [false, false, false, false, false, false], 'a caller is gone');
});

t.test('so do the beginnings of too many', async (t) => {
  const room = new MemoryBudget();
  const readers = Array.from({ length: 4000 }, reader);
  for (const one of readers) room.updateLine(one, 16 * KIB, true);
  const held = () => readers.filter(({ state }) => state.paused).length;
  t.equal(held(), 4000 - 2048 - 4);
  for (const one of readers) room.updateLine(one, 0, true);
  t.equal(held(), 0, 'and each has its turn');
});

t.test('answers that nobody reads', async (t) => {
  const room = new MemoryBudget();
  const answer = 100 * KIB * KIB;
  t.same([room.reserveUnread(answer), room.reserveUnread(answer), room.reserveUnread(answer)], [true, true, false]);
  room.releaseUnread(answer);
  t.ok(room.reserveUnread(answer));
});

t.test('long requests wait while what is served takes much, and what was asked for does not', async (t) => {
  const room = new MemoryBudget();
  const over = Array.from({ length: 64 }, () => room.reserveRequest(2 * KIB * KIB));
  const [asking, answering] = [reader(), reader()];
  room.updateLine(asking, 64 * KIB, true);
  room.updateLine(answering, 64 * KIB, false);
  t.same([asking.state.paused, answering.state.paused], [true, false]);
  const short = reader();
  room.updateLine(short, KIB, true);
  t.notOk(short.state.paused);
  over[0]!();
  t.notOk(asking.state.paused, 'one of them is answered');
});

t.test('inputs are asked for while there is room, in their order', async (t) => {
  const room = new MemoryBudget();
  const taken: number[] = [];
  const overs = await Promise.all(
    [0, 1].map(async (nth) => {
      const over = await room.reserveInput(64 * KIB * KIB);
      taken.push(nth);
      return over;
    }),
  );
  const later = [2, 3].map(async (nth) => {
    const over = await room.reserveInput((nth === 2 ? 64 : 1) * KIB * KIB);
    taken.push(nth);
    over();
  });
  await new Promise((turn) => setImmediate(turn));
  t.same(taken, [0, 1]);
  await room.reserveInput(64 * KIB);
  t.pass('a note waits for nothing');
  overs[0]!();
  await Promise.all(later);
  t.same(taken, [0, 1, 2, 3]);
});
