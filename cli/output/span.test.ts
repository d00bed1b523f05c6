import t from 'tap';
import { formatAgo, formatSpan } from './span.ts';

t.test('spans for people have two units at most', async (t) => {
  const cases: [number, string][] = [
    [-5, '0 ms'],
    [0, '0 ms'],
    [999.4, '999 ms'],
    [1000, '1s'],
    [61_000, '1m 1s'],
    [120_000, '2m'],
    [3_600_000, '1h'],
    [93_600_000, '1d 2h'],
    [86_400_000 + 59_000, '1d'],
  ];
  for (const [ms, text] of cases) t.equal(formatSpan(ms), text);
});

t.test('how far away a time is', async (t) => {
  const now = Date.parse('2026-11-21T10:00:00.000Z');
  t.equal(formatAgo('2026-11-21T09:59:00.000Z', now), '1m ago');
  t.equal(formatAgo('2026-11-21T10:00:00.500Z', now), 'now', 'a clock that is a little ahead');
  t.equal(formatAgo('2026-11-21T10:00:05.000Z', now), 'in 5s');
  t.equal(formatAgo('soon', now), '');
});
