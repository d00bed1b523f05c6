import t from 'tap';
import { systemClock } from '../../../../test/kit/index.ts';
import { LogQueue } from './log-queue.ts';

t.test('output in writes of one byte takes about as much memory as it has bytes', async (t) => {
  const sent = Promise.withResolvers<void>();
  const texts: string[] = [];
  const queue = new LogQueue({
    clock: systemClock,
    send: async (chunks) => {
      for (const { data } of chunks) texts.push(Buffer.from(data, 'base64').toString());
      await sent.promise;
    },
  });
  const before = process.memoryUsage().rss;
  const bytes = 2_000_000;
  for (let n = 0; n < bytes; n += 1) {
    const one = Buffer.allocUnsafeSlow(1);
    one[0] = 97 + (n % 26);
    queue.add('stdout', one);
  }
  // In a list of buffers, they would take some hundred megabytes.
  t.ok(process.memoryUsage().rss - before < 128 * 1024 * 1024);
  sent.resolve();
  await queue.flush();
  const text = texts.join('');
  t.equal(text.length, bytes);
  t.equal(text.slice(0, 27), 'abcdefghijklmnopqrstuvwxyza');
  t.equal(text.charCodeAt(bytes - 1), 97 + ((bytes - 1) % 26));
});
