import t from 'tap';
import type { NodeView, RunView, StepView } from '../answers.ts';
import { alignSteps, compareRuns } from './comparison.ts';
import { readInput, type InputReader } from './input.ts';
import { toHunks, lineDiff } from './line-diff.ts';

const step = (site: string, more: Partial<StepView> = {}): StepView => ({
  ...{ position: 0, kind: 'step', name: site, ordinal: 0, site: `${site}#0`, activity_id: 'act_1', activity: 'main' },
  ...{ status: 'recorded', exit_code: 0, stdout: `${site}\n`, started_at: '2026-01-31T12:00:00.000Z' },
  recorded_at: '2026-01-31T12:00:01.500Z',
  ...more,
});
const node = (id: string, more: Partial<NodeView> = {}): NodeView => ({
  ...{ node: id, type: 'code', state: 'succeeded', attempt: 1, output: { n: 1 } },
  ...more,
});
const run = (over: Partial<RunView> = {}): RunView => ({
  ...{ run_id: 'run_1', kind: 'script', workflow: 'a.sh', status: 'succeeded', tags: [], annotations: [] },
  ...{ trigger: { type: 'manual' }, trusted: true, generation: 0, created_at: '2026-01-31T12:00:00.000Z' },
  ...over,
});

t.test('calls are found by their site, in the order of the first run', async (t) => {
  const a = [step('build'), step('old'), step('test', { exit_code: 1, message: 'no' }), step('end')];
  const b = [step('new'), step('build', { activity_id: 'act_2' }), step('test'), step('lint'), step('end')];
  const rows = alignSteps(a, b);
  t.same(
    rows.map(({ site, verdict }) => `${site} ${verdict}`),
    ['new#0 b', 'build#0 same', 'old#0 a', 'test#0 differs', 'lint#0 b', 'end#0 same'],
  );
  t.same(rows[3]!.differs, ['outcome', 'error']);
  t.match(rows[3], { a: { outcome: 'exit 1', took_ms: 1500 }, b: { outcome: 'exit 0', error: '' } });
  t.same(alignSteps([], []), []);
});

t.test('what was not called in the same order, by another activity or verb', async (t) => {
  const swapped = alignSteps([step('x'), step('y')], [step('y'), step('x')]);
  t.same(
    swapped.map(({ verdict }) => verdict),
    ['same', 'same'],
  );
  const child = alignSteps([step('x')], [step('x'), step('x', { activity: 'child' })]);
  t.same(
    child.map(({ activity, verdict }) => `${activity} ${verdict}`),
    ['main same', 'child b'],
  );
  t.same(
    alignSteps([step('x')], [step('x', { kind: 'emit' })]).map(({ verdict }) => verdict),
    ['b', 'a'],
  );
  const open = step('x', { status: 'waiting', exit_code: undefined, recorded_at: undefined });
  t.match(alignSteps([open], [step('x')])[0], { verdict: 'differs', a: { outcome: 'waiting', took_ms: undefined } });
});

t.test('nodes and their items', async (t) => {
  const failed = { code: 'broken', message: 'disk' };
  const rows = alignSteps(
    [node('fan'), node('fan', { item: 0 }), node('fan', { item: 1 })],
    [node('fan', { output: { n: 2 } }), node('fan', { item: 0, state: 'failed', output: undefined, error: failed })],
  );
  t.same(
    rows.map(({ site, verdict, differs }) => [site, verdict, differs.join(' ')]),
    [
      ['fan', 'differs', 'output'],
      ['fan[0]', 'differs', 'outcome output error'],
      ['fan[1]', 'a', ''],
    ],
  );
});

t.test('facts, outputs and times of the whole', async (t) => {
  const ended = { started_at: '2026-01-31T12:00:00.000Z', finished_at: '2026-01-31T12:00:02.000Z' };
  const found = compareRuns(
    { run: run({ ...ended, output: { n: [1] }, subject: 's' }), steps: [] },
    { run: run({ status: 'failed', error: { code: 'x', message: 'y' }, rerun_of: 'run_1' }), steps: [] },
  );
  const facts = Object.fromEntries(found.facts.map(({ name, a, b, same }) => [name, [a, b, same]]));
  t.same(facts, {
    Workflow: ['a.sh', 'a.sh', true],
    Status: ['succeeded', 'failed', false],
    'Started by': ['manual', 'manual', true],
    Subject: ['s', '', false],
    Trusted: ['yes', 'yes', true],
    'Rerun of': ['', 'run_1', false],
    Error: ['', 'x', false],
  });
  t.same(found.took_ms, { a: 2000 });
  t.same([found.output.a, found.error.b], ['{\n  "n": [\n    1\n  ]\n}', 'x: y']);
});

t.test('lines that differ, with few around them', async (t) => {
  const marks = (a: string, b: string) =>
    lineDiff(a, b).map(({ side, text }) => `${{ both: ' ', a: '-', b: '+' }[side]}${text}`);
  t.same(marks('a\nb\nc', 'a\nx\nc'), [' a', '-b', '+x', ' c']);
  t.same(marks('a', 'a'), [' a']);
  t.same(marks('', 'a'), ['+a'], 'what one side lacks is no empty line');
  t.same(marks('a\nb', 'b\na'), ['-a', ' b', '+a']);
  const many = Array.from({ length: 3000 }, (_, n) => `a${n}`);
  const others = Array.from({ length: 3000 }, (_, n) => `b${n}`);
  t.equal(lineDiff(many.join('\n'), others.join('\n')).length, 6000, 'too much for a table: changed as a whole');
  const long = Array.from({ length: 100 }, (_, n) => `${n}`);
  const changed = long.with(20, 'x').with(24, 'y').with(80, 'z');
  const found = toHunks(lineDiff(long.join('\n'), changed.join('\n')));
  t.same(
    found.hunks.map(({ skipped, lines }) => [skipped, lines.length]),
    [
      [17, 13],
      [49, 8],
    ],
  );
  t.equal(found.rest, 16);
  t.same(toHunks(lineDiff('a', 'a')), { hunks: [], rest: 1 });
});

t.test('the input of a run is in the event that started it, or its first run', async (t) => {
  const events: Record<string, unknown> = {
    evt_1: { payload: { run_id: 'run_1', input: { n: 1 } } },
    evt_7: { payload: { total: 3 } },
  };
  const runs: Record<string, RunView> = {
    run_2: run({ run_id: 'run_2', rerun_of: 'run_1' }),
    run_1: run(),
    run_8: run({ run_id: 'run_8', rerun_of: 'run_8' }),
  };
  const read: InputReader = {
    run: async (id) => runs[id],
    event: async (id) => events[id] as { payload: unknown } | undefined,
  };
  t.same(await readInput(run(), read), { value: { n: 1 } });
  t.same(
    await readInput(run({ run_id: 'run_3', rerun_of: 'run_2' }), read),
    { value: { n: 1 } },
    'of a rerun of a rerun',
  );
  const pushed = run({ run_id: 'run_5', trigger: { type: 'push', event: 'evt_7' }, rerun_of: 'run_gone' });
  t.same(await readInput(pushed, read), { value: { total: 3 } });
  t.equal(await readInput(run({ run_id: 'run_9' }), read), undefined, 'its event is not kept');
  t.equal(await readInput(run({ run_id: 'run_9', rerun_of: 'run_gone' }), read), undefined);
  t.equal(await readInput(runs.run_8!, read), undefined, 'never without end');
});
