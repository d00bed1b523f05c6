import t from 'tap';
import { BytePieces } from './byte-pieces.ts';

t.test('pieces of every length are joined in their order', async (t) => {
  const lengths = [1, 0, 16_383, 16_384, 2, 100_000, 1, 16_382, 1, 1];
  for (let count = 0; count <= lengths.length; count += 1) {
    const parts = lengths.slice(0, count).map((length, n) => Buffer.alloc(length, n + 1));
    const pieces = new BytePieces();
    for (const part of parts) pieces.add(part);
    t.ok(pieces.concat().equals(Buffer.concat(parts)), `${count} pieces`);
    pieces.add(Buffer.from('more'));
    t.ok(pieces.concat().equals(Buffer.concat([...parts, Buffer.from('more')])), 'and one more after that');
    pieces.clear();
    t.equal(pieces.concat().length, 0);
  }
});

t.test('a single piece is not copied, and short ones share their memory', async (t) => {
  const one = Buffer.from('only');
  const single = new BytePieces();
  single.add(one);
  t.equal(single.concat(), one);
  const pieces = new BytePieces();
  const before = process.memoryUsage().rss;
  for (let n = 0; n < 1_000_000; n += 1) pieces.add(Buffer.allocUnsafeSlow(1));
  t.ok(process.memoryUsage().rss - before < 512 * 1024 * 1024);
  t.equal(pieces.concat().length, 1_000_000);
});
