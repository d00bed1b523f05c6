import t from 'tap';
import type { NodeRecord } from '../../../../../../cli/generated/api.ts';
import { ancestorsOf, itemsIn, sampleOf, sampleOfItem } from './sample.ts';

const node = (id: string, more: Partial<NodeRecord> = {}): NodeRecord => ({
  ...{ node: id, type: 'set', state: 'succeeded', attempt: 1 },
  ...more,
});
const run = { run_id: 'run_1', trigger: { type: 'manual' } };

t.test('what the expressions of a run see', async (t) => {
  const nodes = [
    node('hook', { type: 'trigger.webhook', state: 'skipped' }),
    node('start', { type: 'trigger.manual', output: { a: 1 } }),
    node('big', { type: 'condition', output: true, case: true }),
    node('bad', { state: 'failed', error: { code: 'exit', message: 'x' } }),
    node('each', { type: 'fan_out' }),
    node('each', { item: 0, output: 5 }),
  ];
  const sample = sampleOf(run, nodes, { type: 'manual', input: { n: 1 } }, new Map([['each', [5, 6]]]));
  t.same(sample.input, { n: 1 });
  t.same(sample.run, { id: 'run_1', subject: null, trigger: { type: 'manual' }, fired: ['start'] });
  t.same(sample.nodes?.big, { status: 'succeeded', output: true, error: null, case: true });
  t.same(sample.nodes?.bad, { status: 'failed', output: null, error: { code: 'exit', message: 'x' }, case: null });
  t.same(sample.nodes?.each?.output, [5, 6]);
  const event = { type: 'order.paid', payload: { total: 3 } };
  t.same(sampleOf(run, [], event).input, event, 'the whole envelope of an event');
  t.notOk('input' in sampleOf(run, [], undefined), 'not known');
});

t.test('the run of an item reads the members of its input by their names', async (t) => {
  const sample = sampleOf(run, [], { type: 'spawn', input: { item: 'b', index: 1, input: { n: 2 } } });
  t.match(sampleOfItem(sample), { item: 'b', index: 1, input: { n: 2 }, run: { id: 'run_1' } });
  t.match(sampleOfItem(sampleOf(run, [], undefined)), { item: null, index: 0, input: null });
});

t.test('what is over when a node begins', async (t) => {
  const nodes = ['a', 'b', 'c', 'd'].map((id) => ({ id, type: 'set' }));
  const edges = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
    { from: 'c', to: 'a' },
    { from: 'd', to: 'd' },
  ];
  t.same(ancestorsOf({ nodes, edges }, 'c'), ['a', 'b'], 'a circle, while one draws, ends');
  t.same(ancestorsOf({ nodes }, 'c'), []);
  t.same(itemsIn({ items: { $expr: 'input.list' } }), 'input.list');
  t.same(itemsIn({ items: [1] }), [1]);
  t.same(itemsIn({ items: 5 }), undefined);
});
