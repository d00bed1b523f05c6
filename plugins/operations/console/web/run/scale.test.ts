import t from 'tap';
import { brushed, marks, moved, placeOf, scaleOf, shareOf, WHOLE, zoomed } from './scale.ts';
import type { Bar, Entry } from './spans.ts';

const entry = (from: number, to: number, thin = false): Entry => ({
  ...{ key: `${from}`, label: '', kind: 'step', state: 'succeeded', open: false, children: [] },
  ...{ from, to, bars: [{ state: 'succeeded', from, to, ...(thin && { thin }) } satisfies Bar] },
});

t.test('without a gap a share is a share of the time', async (t) => {
  const scale = scaleOf([entry(0, 1000)], 0, 1000);
  t.equal(shareOf(scale, 250), 0.25);
  t.same(placeOf({ from: 200, to: 400 }, scale, WHOLE), { left: 20, width: 20 });
  t.equal(placeOf({ from: 0, to: 100 }, scale, { start: 0.5, end: 1 }), undefined);
  t.same(placeOf({ from: 1000, to: 1000 }, scale, WHOLE)?.width, 0.8, 'what takes no time is seen');
  t.ok(scaleOf([], 5, 5).to > 5, 'never empty');
});

t.test('a long gap in which a run waits is folded', async (t) => {
  const HOUR = 36e5;
  const entries = [entry(0, 20_000), entry(20_000, 2 * HOUR, true), entry(2 * HOUR, 2 * HOUR + 20_000)];
  const scale = scaleOf(entries, 0, 2 * HOUR + 20_000);
  t.same(
    scale.pieces.map(({ folded }) => folded),
    [false, true, false],
  );
  t.ok(shareOf(scale, 20_000) > 0.4, 'what the run did has the width');
  const all = marks(scale, WHOLE);
  const gap = all.find(({ gap_ms }) => gap_ms !== undefined);
  t.ok(
    all.every((one) => one === gap || Math.abs(one.left - gap!.left) > 10),
    'no time stands in its words',
  );
  t.equal(gap?.gap_ms, 2 * HOUR - 20_000);
  t.equal(scaleOf(entries, 0, 2 * HOUR, false).pieces.length, 1, 'unless somebody wants it as it is');
  const waits = scaleOf([entry(0, 500), entry(500, HOUR, true)], 0, HOUR);
  t.equal(Math.round(shareOf(waits, 500) * 100), 78, 'the wait that goes on is folded too');
  t.equal(scaleOf([entry(0, HOUR, true)], 0, HOUR).pieces.length, 1, 'a run that only waits is not');
});

t.test('the view: zoom, move and brush stay within the whole', async (t) => {
  const near = zoomed(WHOLE, 0.5, 0);
  t.same(near, { start: 0, end: 0.5 });
  t.same(moved(near, 10), { start: 0.5, end: 1 });
  t.same(moved(near, -1), near);
  t.same(zoomed(near, 100), WHOLE);
  t.match(zoomed(WHOLE, 0.0001), { start: 0.4975 }, 'not without end');
  t.same(brushed(0.8, 0.2), { start: 0.2, end: 0.8 });
  t.same(brushed(0.5, 0.5), WHOLE, 'a click shows all again');
});

t.test('marks at round times, a few of them', async (t) => {
  const round = (size: number) => marks(scaleOf([entry(0, size)], 0, size), WHOLE).map(({ at_ms }) => at_ms);
  t.same(round(10_000), [0, 2000, 4000, 6000, 8000]);
  t.same(round(4100), [0, 1000, 2000, 3000], 'none covers the end');
  for (const size of [1, 999, 36e5, 30 * 864e5, 365 * 864e5]) t.ok(round(size).length <= 9, `${size}`);
});
