import t from 'tap';
import { ago, roughly, span } from './span.ts';

t.test('how long something lasts', async (t) => {
  const MIN = 60_000;
  const told = [0, 188, 1234, 23_950, 41_000, 129_000, 14 * MIN, 68 * MIN, 25 * 60 * MIN, 72 * 60 * MIN].map(span);
  t.same(told, ['0 ms', '188 ms', '1.2 s', '23.9 s', '41 s', '2 min 9 s', '14 min', '1 h 8 min', '1 d 1 h', '3 d']);
  t.equal(span(-5), '0 ms');
  t.equal(roughly(129_000), '2 min');
  t.equal(roughly(400), '0 s');
});

t.test('how long ago', async (t) => {
  const now = Date.parse('2026-11-21T10:00:00.000Z');
  t.equal(ago('2026-11-21T09:52:00.000Z', now), '8 min ago');
  t.equal(ago('2026-11-21T12:10:00.000Z', now), 'in 2 h');
  t.equal(ago('2026-11-21T10:00:00.500Z', now), 'now');
  t.equal(ago('no time', now), '');
});
