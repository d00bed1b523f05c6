import { setImmediate as afterTurn } from 'node:timers/promises';
import t from 'tap';
import { noteWrites } from '../../../../test/support/noted-writes.ts';
import { Link } from './link.mjs';

/** A link whose socket notes what each of its writes contained. */
function noting() {
  const { socket, writes } = noteWrites();
  const link = new Link(
    socket,
    () => undefined,
    () => undefined,
  );
  return { link, socket, writes };
}

t.test('the lines of all runs that are written in one turn reach the agent in one write', async (t) => {
  const { link, writes } = noting();
  const [one, other] = [link.open(1), link.open(2)];
  setImmediate(() => {
    one.write('a\n');
    link.send({ end: 1 });
    // A run that goes on after an answer writes from a promise of the same turn.
    void Promise.resolve().then(() => other.write('b\n'));
    t.equal(one.writableLength, '1 a\n0 {"end":1}\n'.length, 'it has not left the process');
  });
  await afterTurn();
  await afterTurn();
  t.same(writes, ['1 a\n0 {"end":1}\n2 b\n']);
  t.equal(one.writableLength, 0);
});

t.test('a step that begins without an answer, a log line and the end of the link wait for no turn', async (t) => {
  const { link, writes } = noting();
  const run = link.open(1);
  run.write('begin\n');
  run.flush();
  t.same(writes, ['1 begin\n']);
  link.send({ log: 1 });
  link.flush();
  link.send({ end: 1 });
  link.end();
  t.same(writes.slice(1), ['0 {"log":1}\n', '0 {"end":1}\n']);
  await afterTurn();
  t.equal(writes.length, 3);
});
