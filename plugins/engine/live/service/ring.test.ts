import t from 'tap';
import { Ring } from './ring.ts';

t.test('it holds the latest, and says what it holds', async (t) => {
  const ring = new Ring({ entries: 3, characters: 1000 });
  t.ok(ring.covers(0), 'nothing is missing where nothing was');
  t.notOk(ring.covers(1));
  for (let n = 1; n <= 100; n++) {
    ring.append({ topic: 'a', text: `${n}` });
    t.equal(ring.last, n);
    const oldest = Math.max(1, n - 2);
    for (let number = oldest; number <= n; number++) t.equal(ring.entryAt(number).text, `${number}`);
    t.ok(ring.covers(oldest - 1));
    t.ok(ring.covers(n));
    t.notOk(ring.covers(oldest - 2) && oldest > 1);
    t.notOk(ring.covers(n + 1));
  }
});

t.test('it is bounded by its characters too, and keeps the newest whatever it has', async (t) => {
  const ring = new Ring({ entries: 100, characters: 10 });
  for (const text of ['aaaa', 'bbbb', 'cccc']) ring.append({ topic: 'a', text });
  t.notOk(ring.covers(0));
  t.ok(ring.covers(1));
  ring.append({ topic: 'a', text: 'd'.repeat(50) });
  t.ok(ring.covers(3));
  t.notOk(ring.covers(2));
  t.equal(ring.entryAt(4).text.length, 50);
});
