import t from 'tap';
import { LineRoom } from './line-room.ts';

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
  const room = new LineRoom();
  const readers = Array.from({ length: 6 }, reader);
  const paused = () => readers.map(({ state }) => state.paused);
  for (const one of readers) room.holds(one, 64 * KIB, true);
  t.same(paused(), [false, false, false, false, true, true]);
  room.holds(readers[0]!, 8 * KIB * KIB, true);
  const other = reader();
  room.holds(other, 10 * KIB, true);
  t.notOk(other.state.paused);
  room.holds(readers[1]!, 0, true);
  t.same(paused(), [false, false, false, false, false, true], 'a line is whole');
  room.gone(readers[0]!);
  t.same(paused(), [false, false, false, false, false, false], 'a caller is gone');
});

t.test('so do the beginnings of too many', async (t) => {
  const room = new LineRoom();
  const readers = Array.from({ length: 4000 }, reader);
  for (const one of readers) room.holds(one, 16 * KIB, true);
  const held = () => readers.filter(({ state }) => state.paused).length;
  t.equal(held(), 4000 - 2048 - 4);
  for (const one of readers) room.holds(one, 0, true);
  t.equal(held(), 0, 'and each has its turn');
});

t.test('answers that nobody reads', async (t) => {
  const room = new LineRoom();
  const answer = 100 * KIB * KIB;
  t.same([room.sends(answer), room.sends(answer), room.sends(answer)], [true, true, false]);
  room.read(answer);
  t.ok(room.sends(answer));
});

t.test('long requests wait while what is served takes much, and what was asked for does not', async (t) => {
  const room = new LineRoom();
  const over = Array.from({ length: 64 }, () => room.serves(2 * KIB * KIB));
  const [asking, answering] = [reader(), reader()];
  room.holds(asking, 64 * KIB, true);
  room.holds(answering, 64 * KIB, false);
  t.same([asking.state.paused, answering.state.paused], [true, false]);
  const short = reader();
  room.holds(short, KIB, true);
  t.notOk(short.state.paused);
  over[0]!();
  t.notOk(asking.state.paused, 'one of them is answered');
});

t.test('inputs are asked for while there is room, in their order', async (t) => {
  const room = new LineRoom();
  const taken: number[] = [];
  const overs = await Promise.all(
    [0, 1].map(async (nth) => {
      const over = await room.input(64 * KIB * KIB);
      taken.push(nth);
      return over;
    }),
  );
  const later = [2, 3].map(async (nth) => {
    const over = await room.input((nth === 2 ? 64 : 1) * KIB * KIB);
    taken.push(nth);
    over();
  });
  await new Promise((turn) => setImmediate(turn));
  t.same(taken, [0, 1]);
  await room.input(64 * KIB);
  t.pass('a note waits for nothing');
  overs[0]!();
  await Promise.all(later);
  t.same(taken, [0, 1, 2, 3]);
});
