import t from 'tap';
import { span } from './span.ts';
import { bars } from './timeline.ts';

t.test('bars share one axis', async (t) => {
  const spans = [
    { from: 1000, to: 2000, open: false },
    { from: 2000, to: 5000, open: false },
    { from: 5000, to: 5000, open: false },
    { from: 5000, to: 11_000, open: true },
  ];
  t.same(bars(spans, 10), ['█', ' ███', '    █', '    ░░░░░░']);
  t.same(bars([{ from: 5, to: 5, open: false }], 10), ['█']);
  t.same(bars([], 10), []);
  const late = bars([...spans, { from: 11_000, to: 11_000, open: false }], 10);
  t.equal(late.at(-1), `${' '.repeat(9)}█`, 'what happens at the very end is on the axis');
});

t.test('a bar never turns back, whichever clock its ends were read from', async (t) => {
  const spans = [
    { from: 100, to: 50, open: false },
    { from: 50, to: 100, open: false },
  ];
  t.ok(bars(spans, 8).every((bar) => /^ *█+$/.test(bar) && bar.length <= 8));
});

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
