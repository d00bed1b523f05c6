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
  for (const one of readers) room.holds(one, 64 * KIB);
  t.same(paused(), [false, false, false, false, true, true]);
  room.holds(readers[0]!, 8 * KIB * KIB);
  const other = reader();
  room.holds(other, 10 * KIB);
  t.notOk(other.state.paused);
  room.holds(readers[1]!, 0);
  t.same(paused(), [false, false, false, false, false, true], 'a line is whole');
  room.gone(readers[0]!);
  t.same(paused(), [false, false, false, false, false, false], 'a caller is gone');
});

t.test('so do the beginnings of too many', async (t) => {
  const room = new LineRoom();
  const readers = Array.from({ length: 4000 }, reader);
  for (const one of readers) room.holds(one, 16 * KIB);
  const held = () => readers.filter(({ state }) => state.paused).length;
  t.equal(held(), 4000 - 2048 - 4);
  for (const one of readers) room.holds(one, 0);
  t.equal(held(), 0, 'and each has its turn');
});

t.test('answers that nobody reads', async (t) => {
  const room = new LineRoom();
  const answer = 100 * KIB * KIB;
  t.same([room.sends(answer), room.sends(answer), room.sends(answer)], [true, true, false]);
  room.read(answer);
  t.ok(room.sends(answer));
});
