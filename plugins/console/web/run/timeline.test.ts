import t from 'tap';
import type { NodeRecord, StepRecord } from '../../../../cli/generated/api.ts';
import { marks, moved, placeOf, rowsOf, wholeOf, zoomed } from './timeline.ts';

const at = (ms: number) => new Date(ms).toISOString();

const step = (position: number, from: number, to: number | undefined, more: Partial<StepRecord> = {}): StepRecord => ({
  position,
  kind: 'step',
  name: `s${position}`,
  ordinal: 0,
  site: `s${position}#0`,
  status: to === undefined ? 'waiting' : 'recorded',
  started_at: at(from),
  ...(to !== undefined && { recorded_at: at(to) }),
  activity_id: 'act_1',
  activity: '',
  ...more,
});

t.test('a row for everything that began, in that order', async (t) => {
  const node: NodeRecord = { node: 'a', type: 'set', state: 'running', attempt: 1, started_at: at(500) };
  const later: NodeRecord = { node: 'b', type: 'set', state: 'waiting', attempt: 0 };
  const rows = rowsOf(
    [step(0, 1000, 1200), node, later, step(1, 1200, 1300, { exit_code: 3 }), step(2, 1400, undefined)],
    2000,
  );
  t.same(
    rows.map(({ label, from, to, open, state }) => [label, from, to, open, state]),
    [
      ['a', 500, 2000, true, 'busy'],
      ['s0', 1000, 1200, false, 'good'],
      ['s1', 1200, 1300, false, 'bad'],
      ['s2', 1400, 2000, true, 'wait'],
    ],
  );
});

t.test('an agent whose clock is ahead makes no bar of negative width', async (t) => {
  const [row] = rowsOf([step(0, 9000, 1000)], 9999);
  t.same([row?.from, row?.to], [1000, 1000]);
});

t.test('the window: zoom and move stay within the whole', async (t) => {
  const whole = wholeOf(rowsOf([step(0, 100, 900)], 0), 0, 1000);
  t.same(whole, { from: 0, to: 1000 });
  const near = zoomed(whole, whole, 0.5, 0);
  t.same(near, { from: 0, to: 500 });
  t.same(moved(near, whole, 10), { from: 500, to: 1000 });
  t.same(moved(near, whole, -1), near);
  t.same(zoomed(near, whole, 100), whole);
  t.same(zoomed({ from: 0, to: 12 }, whole, 0.01), { from: 1, to: 11 }, 'not narrower than 10 ms');
  t.same(wholeOf([], 5, 5), { from: 5, to: 6 }, 'never empty');
});

t.test('places of bars', async (t) => {
  const [row] = rowsOf([step(0, 200, 400)], 0);
  t.same(placeOf(row!, { from: 0, to: 1000 }), { left: 0.2, width: 0.2 });
  t.same(placeOf(row!, { from: 300, to: 350 }), { left: 0, width: 1 });
  t.equal(placeOf(row!, { from: 500, to: 600 }), undefined);
});

t.test('marks at round times, a few of them', async (t) => {
  const whole = { from: 1000, to: 11_000 };
  t.same(marks(whole, whole), [0, 2000, 4000, 6000, 8000, 10_000]);
  t.same(
    marks({ from: 3500, to: 3900 }, whole),
    [2500, 2550, 2600, 2650, 2700, 2750, 2800, 2850, 2900].filter((ms) => ms % 50 === 0),
  );
  for (const size of [1, 999, 36e5, 30 * 864e5, 365 * 864e5])
    t.ok(marks({ from: 0, to: size }, { from: 0, to: size }).length <= 9, `${size}`);
});

t.test('a lease has a bar: until the run is over, or its command', async (t) => {
  const lock = { kind: 'lock', name: 'deploy', exit_code: 0 };
  const bars = (...steps: StepRecord[]) =>
    rowsOf(steps, 900).flatMap(({ kind, label, from, to, of }) => (kind === 'lease' ? [[label, from, to, of]] : []));
  t.same(bars(step(0, 100, 200, lock), step(1, 300, 400)), [['deploy', 200, 900, 'act_1 0']]);
  t.same(bars(step(0, 100, 200, lock), step(1, 200, 450, { kind: 'lock-step' })), [['deploy', 200, 450, 'act_1 0']]);
  t.same(bars(step(0, 100, undefined, lock), step(1, 1, 2, { ...lock, exit_code: 124 })), [], 'not held');
  for (const over of [false, true])
    t.equal(rowsOf([step(0, 100, 200, lock)], 900, over).find(({ kind }) => kind === 'lease')?.open, !over);
});

t.test('a node that was tried again says so', async (t) => {
  const node: NodeRecord = { node: 'a', type: 'http', state: 'running', attempt: 3, started_at: at(500) };
  t.equal(rowsOf([node], 2000)[0]?.label, 'a, attempt 3');
  const attempts = [
    { attempt: 1, started_at: at(500), finished_at: at(700), error: { code: 'broken', message: 'no disk' } },
    { attempt: 2, started_at: at(900), finished_at: at(1000) },
  ];
  const bars = (one: NodeRecord) => rowsOf([one], 2000).map(({ label, from, to, state }) => [label, from, to, state]);
  const earlier = [
    ['a, attempt 1', 500, 700, 'bad'],
    ['a, attempt 2', 900, 1000, 'bad'],
  ];
  t.same(bars({ ...node, attempts }), [...earlier, ['a, attempt 3', 1000, 2000, 'busy']]);
  t.same(bars({ ...node, attempts, attempt: 2, state: 'backoff' }), [
    ...earlier,
    ['a, pause before attempt 3', 1000, 2000, 'wait'],
  ]);
});

t.test('passes of a program that was started more than once', async (t) => {
  const bars = (...steps: StepRecord[]) =>
    rowsOf(steps, 900).flatMap(({ kind, label, from, to }) => (kind === 'pass' ? [[label, from, to]] : []));
  const first = [step(0, 100, 200, { pass: 1 }), step(1, 200, 500, { pass: 1, kind: 'wait-signal' })];
  t.same(bars(...first), [], 'one pass is the run itself');
  t.same(bars(...first, step(2, 510, 600, { pass: 4 }), step(3, 610, undefined, { pass: 4, kind: 'sleep' })), [
    ['1', 100, 200],
    ['2', 510, 610],
  ]);
  const goesOn = [...first, step(2, 505, 550, { pass: 1 }), step(3, 700, 800, { pass: 2 })];
  t.same(bars(...goesOn)[0], ['1', 100, 550], 'a wait that ended while the program was there');
});

t.test('what an agent carries out is busy, and passes before the last are marked', async (t) => {
  const [row] = rowsOf([step(0, 100, undefined, { status: 'running' })], 900);
  t.match(row, { state: 'busy', open: true, to: 900 });
  const passes = rowsOf([step(0, 100, 200, { pass: 1 }), step(1, 300, 400, { pass: 2 })], 900);
  t.same(
    passes.flatMap(({ kind, label, earlier }) => (kind === 'pass' ? [[label, earlier]] : [])),
    [
      ['1', true],
      ['2', false],
    ],
  );
});
