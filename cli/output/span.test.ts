import t from 'tap';
import { span } from './span.ts';

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
  for (const [ms, text] of cases) t.equal(span(ms), text);
});
