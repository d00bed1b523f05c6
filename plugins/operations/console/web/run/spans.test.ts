import t from 'tap';
import type { NodeRecord, StepRecord } from '../../../../../cli/generated/api.ts';
import { entriesOf, passesOf, reusedOf } from './spans.ts';

const at = (ms: number) => new Date(ms).toISOString();
const when = (now: number, more: object = {}) => ({ now, created: 0, over: false, ...more });

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
const node: NodeRecord = { node: 'a', type: 'set', state: 'running', attempt: 1, started_at: at(500) };

t.test('a row for everything that began, in that order', async (t) => {
  const later: NodeRecord = { node: 'b', type: 'set', state: 'waiting', attempt: 0 };
  const rows = entriesOf(
    [step(0, 1000, 1200), node, later, step(1, 1200, 1300, { exit_code: 3 }), step(2, 1400, undefined)],
    when(2000),
  );
  t.same(
    rows.map(({ label, from, to, open, state }) => [label, from, to, open, state]),
    [
      ['a', 500, 2000, true, 'running'],
      ['s0', 1000, 1200, false, 'succeeded'],
      ['s1', 1200, 1300, false, 'failed'],
      ['s2', 1400, 2000, true, 'waiting'],
    ],
  );
  const [busy] = entriesOf([step(0, 100, undefined, { status: 'running' })], when(900));
  t.match(busy, { state: 'running', open: true, to: 900 });
});

t.test('an agent whose clock is ahead makes no bar of negative width', async (t) => {
  const [row] = entriesOf([step(0, 9000, 1000)], when(9999));
  t.same([row?.from, row?.to], [1000, 1000]);
});

t.test('what a rerun has kept takes no time in it', async (t) => {
  const steps = [step(0, 100, 5000), step(1, 90_000, 90_100)];
  const { reused, own } = reusedOf(entriesOf(steps, when(91_000, { created: 90_000 })));
  t.match(reused, [{ label: 's0', state: 'reused', from: 90_000, to: 90_000 }]);
  t.match(own, [{ label: 's1', state: 'succeeded', from: 90_000 }]);
  t.match(entriesOf([{ ...node, kept: true }], when(900, { created: 700 })), [{ state: 'reused', from: 700, to: 700 }]);
});

t.test('a lease is no row: it is a thin bar of its lock, until the run is over or its command', async (t) => {
  const lock = { kind: 'lock', name: 'deploy', exit_code: 0 };
  const bars = (over: boolean, ...steps: StepRecord[]) => {
    const rows = entriesOf(steps, when(900, { over }));
    return rows.flatMap(({ kind, bars }) =>
      kind === 'lock' ? [bars.map(({ from, to, thin }) => [from, to, thin])] : [],
    );
  };
  t.same(bars(false, step(0, 100, 200, lock), step(1, 300, 400)), [
    [
      [100, 200, true],
      [200, 900, true],
    ],
  ]);
  t.same(bars(false, step(0, 100, 200, lock), step(1, 200, 450, { kind: 'lock-step' })), [
    [
      [100, 200, true],
      [200, 450, true],
    ],
  ]);
  t.equal(bars(false, step(0, 100, undefined, lock))[0]?.length, 1, 'not held');
  t.equal(entriesOf([step(0, 100, 200, lock)], when(900)).length, 1);
});

t.test('attempts are pieces of a row, and rows below it', async (t) => {
  const attempts = [
    {
      attempt: 1,
      exit_code: 7,
      message: '503 from api\nmore',
      started_at: at(100),
      ended_at: at(200),
      next_at: at(300),
    },
    { attempt: 2, exit_code: 7, started_at: at(300), ended_at: at(400), next_at: at(500) },
  ];
  const [row] = entriesOf([step(0, 100, 700, { attempts, max_attempts: 3 })], when(900));
  t.same(
    row!.bars.map(({ state, from, to }) => [state, from, to]),
    [
      ['retried', 100, 200],
      ['retried', 300, 400],
      ['succeeded', 400, 700],
    ],
  );
  t.same(
    row!.children.map(({ label, state }) => [label, state]),
    [
      ['Attempt 1 · 503 from api', 'retried'],
      ['Attempt 2 · exit 7', 'retried'],
      ['Attempt 3', 'succeeded'],
    ],
  );
});

t.test('a node that was tried again says so, and its items stand below it', async (t) => {
  const attempts = [
    { attempt: 1, started_at: at(500), finished_at: at(700), error: { code: 'broken', message: 'no disk' } },
    { attempt: 2, started_at: at(900), finished_at: at(1000) },
  ];
  const [row] = entriesOf([{ ...node, attempts, attempt: 3 }], when(2000));
  t.same(
    row!.bars.map(({ state, from, to }) => [state, from, to]),
    [
      ['retried', 500, 700],
      ['retried', 900, 1000],
      ['running', 1000, 2000],
    ],
  );
  t.equal(row!.children[0]?.label, 'Attempt 1 · no disk');
  const [paused] = entriesOf([{ ...node, attempts, attempt: 2, state: 'backoff' }], when(2000));
  t.match(paused, { state: 'retried' });
  t.match(paused!.bars.at(-1), { from: 1000, to: 2000, thin: true });
  const items: NodeRecord[] = [0, 1].map((item) => ({ ...node, item, label: `a (node=2${item})` }));
  const [matrix] = entriesOf([{ ...node, items: { total: 2, begun: 2, ended: 0, failed: 0 } }, ...items], when(2000));
  t.same(
    matrix!.children.map(({ key, label }) => [key, label]),
    [
      ['a[0]', '20'],
      ['a[1]', '21'],
    ],
  );
});

t.test('what another agent does lies in the queue first', async (t) => {
  const child = { activity_id: 'act_2', state: 'running' as const, begun_at: at(300) };
  const [row] = entriesOf([step(0, 100, undefined, { status: 'running', child })], when(900));
  t.same(
    row!.bars.map(({ state, from, to }) => [state, from, to]),
    [
      ['queued', 100, 300],
      ['running', 300, 900],
    ],
  );
});

t.test('passes of a program that was started more than once', async (t) => {
  const bars = (...steps: StepRecord[]) => passesOf(steps).map(({ label, from, to }) => [label, from, to]);
  const first = [step(0, 100, 200, { pass: 1 }), step(1, 200, 500, { pass: 1, kind: 'wait-signal' })];
  t.same(bars(...first), [], 'one pass is the run itself');
  t.same(bars(...first, step(2, 510, 600, { pass: 4 }), step(3, 610, undefined, { pass: 4, kind: 'sleep' })), [
    ['1', 100, 200],
    ['2', 510, 610],
  ]);
  const goesOn = [...first, step(2, 505, 550, { pass: 1 }), step(3, 700, 800, { pass: 2 })];
  t.same(bars(...goesOn)[0], ['1', 100, 550], 'a wait that ended while the program was there');
});
