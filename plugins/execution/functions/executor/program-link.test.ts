import { setImmediate as afterTurn } from 'node:timers/promises';
import t from 'tap';
import { noteWrites } from '../../../../test/support/noted-writes.ts';
import { RecordingLog, systemClock } from '../../../../test/kit/index.ts';
import type { Clock } from '../../../../kernel/contracts/index.ts';
import { ProgramLink } from './program-link.ts';

/** A link to a program that notes what each write to it contained. */
function noting(clock: Pick<Clock, 'after'> = systemClock) {
  const { socket, writes } = noteWrites();
  const link = new ProgramLink(socket, {
    log: new RecordingLog(),
    clock,
    onMessage: () => undefined,
    onClose: () => undefined,
  });
  return { link, writes };
}

t.test('replies of one turn, as those of one commit, are one write, and each knows when it has left', async (t) => {
  const { link, writes } = noting();
  const sent: string[] = [];
  const [one, other] = [link.open(1), link.open(2)];
  const line = Buffer.from('{"id":1}\n');
  setImmediate(() => {
    one.write(line, () => sent.push('one'));
    link.send({ start: { pass: 3 } });
    // A reply that follows from a promise of the same turn.
    void Promise.resolve().then(() => other.write(line, () => sent.push('other')));
    t.equal(one.writableLength, '1 {"id":1}\n0 {"start":{"pass":3}}\n'.length);
    t.same(sent, []);
  });
  await afterTurn();
  await afterTurn();
  t.same(writes, ['1 {"id":1}\n0 {"start":{"pass":3}}\n2 {"id":1}\n']);
  t.same(sent, ['one', 'other']);
  t.equal(one.writableLength, 0);
});

t.test('what was written before the link is closed reaches the program', async (t) => {
  const { link, writes } = noting();
  link.send({ refused: { code: 'functions_invalid' } });
  link.close();
  t.same(writes, ['0 {"refused":{"code":"functions_invalid"}}\n']);
  await afterTurn();
  t.equal(writes.length, 1);
});

t.test('a message that nobody waits for is written with the next one, or after a moment', async (t) => {
  const timers: (() => void)[] = [];
  const { link, writes } = noting({
    after: (_ms, run) => {
      timers.push(run);
      return () => void timers.splice(timers.indexOf(run), 1);
    },
  });
  const stop = { stop: { pass: 1 } };
  link.sendLater(stop);
  link.sendLater(stop);
  await afterTurn();
  t.same(writes, []);
  link.send({ ping: 1 });
  await afterTurn();
  t.equal(writes.join(''), '0 {"stop":{"pass":1}}\n0 {"stop":{"pass":1}}\n0 {"ping":1}\n');
  t.same([writes.length, timers.length], [1, 0]);
  link.sendLater(stop);
  timers[0]!();
  t.equal(writes.at(-1)!.toString(), '0 {"stop":{"pass":1}}\n');
});
