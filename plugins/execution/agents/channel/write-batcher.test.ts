import { Writable } from 'node:stream';
import t from 'tap';
import { WriteBatcher } from './write-batcher.ts';

/** A socket that stores what each write contained. */
function keepingSocket() {
  const writes: string[] = [];
  const socket = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      writes.push(chunk);
      done();
    },
    writev: (chunks, done) => {
      writes.push(chunks.map(({ chunk }) => chunk as string).join(''));
      done();
    },
  });
  return { socket, writes };
}

t.test('what is sent before the flush leaves in one write, in order', async (t) => {
  const { socket, writes } = keepingSocket();
  const flushes: (() => void)[] = [];
  const one = new WriteBatcher((flush) => flushes.push(flush));
  one.bindSocket(socket);
  const send = (frame: string) => {
    one.beforeWrite();
    socket.write(frame);
  };
  for (const frame of ['a', 'b', 'c']) send(frame);
  t.same(writes, []);
  t.equal(flushes.length, 1, 'one flush is asked for');
  flushes.shift()!();
  t.same(writes, ['abc']);
  send('d');
  t.same(writes, ['abc']);
  flushes.shift()!();
  t.same(writes, ['abc', 'd'], 'and again for what comes later');
});

t.test('without a socket nothing is held, and a flush after its end does no harm', async (t) => {
  const { socket, writes } = keepingSocket();
  const flushes: (() => void)[] = [];
  const one = new WriteBatcher((flush) => flushes.push(flush));
  one.beforeWrite();
  socket.write('a');
  t.same(writes, ['a']);
  t.equal(flushes.length, 0);
  one.bindSocket(socket);
  one.beforeWrite();
  socket.write('b');
  socket.destroy();
  flushes.shift()!();
  t.same(writes, ['a']);
});
