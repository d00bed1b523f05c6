import t from 'tap';
import { renderBars } from './timeline.ts';

t.test('bars share one axis', async (t) => {
  const spans = [
    { from: 1000, to: 2000, open: false },
    { from: 2000, to: 5000, open: false },
    { from: 5000, to: 5000, open: false },
    { from: 5000, to: 11_000, open: true },
  ];
  t.same(renderBars(spans, 10), ['█', ' ███', '    █', '    ░░░░░░']);
  t.same(renderBars([{ from: 5, to: 5, open: false }], 10), ['█']);
  t.same(renderBars([], 10), []);
  const late = renderBars([...spans, { from: 11_000, to: 11_000, open: false }], 10);
  t.equal(late.at(-1), `${' '.repeat(9)}█`, 'what happens at the very end is on the axis');
});

t.test('a bar never turns back, whichever clock its ends were read from', async (t) => {
  const spans = [
    { from: 100, to: 50, open: false },
    { from: 50, to: 100, open: false },
  ];
  t.ok(renderBars(spans, 8).every((bar) => /^ *█+$/.test(bar) && bar.length <= 8));
});
