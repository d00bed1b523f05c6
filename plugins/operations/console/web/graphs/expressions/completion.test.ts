import t from 'tap';
import { completionsAt } from './completion.ts';
import { type ExpressionNames, namesFor, nodesIn } from './names.ts';

const done = { status: 'succeeded', error: null, case: null };
const names: ExpressionNames = {
  scope: { org: 'o', project: 'p' },
  nodes: ['fetch', 'a-b'],
  sample: {
    input: { total: 12, 'odd key': 1, list: [{ id: 7 }], in: 2 },
    nodes: { fetch: { ...done, output: { body: { id: 5 } } }, 'a-b': { ...done, output: 1 }, other: { ...done } },
    run: { id: 'run_1', fired: ['x'] },
    event: { type: 'order.paid', payload: { by: 'me' } },
  },
};
const at = (text: string, more: Partial<ExpressionNames> = {}, caret = text.length) =>
  completionsAt(text, caret, { ...names, ...more });
const labels = (text: string, more?: Partial<ExpressionNames>) => at(text, more).map(({ label }) => label);

t.test('names, functions and what the sample has', async (t) => {
  t.same(labels('in'), ['input', 'int()']);
  t.same(labels('in', { items: true }), ['input', 'index', 'int()']);
  t.ok(labels('').includes('nodes') && !labels('').includes('item'));
  t.same(labels('nodes.'), ['fetch', 'a-b']);
  t.same(labels('nodes.fetch.'), ['output', 'status', 'error', 'case']);
  t.same(labels('1 + nodes.fetch.output.body.i'), ['id']);
  t.same(labels('nodes["a-b"].s'), ['status']);
  t.same(labels('nodes.fetch.error.'), ['code', 'message']);
  t.same(labels('input.list[0].i'), ['id']);
  t.same(labels('run.f'), ['fired']);
  t.same(labels('e', { event: true }), ['event']);
  t.same(labels('event.payload.b', { event: true }), ['by']);
  t.ok(labels('event.', { event: true, sample: undefined }).includes('payload'), 'known without a sample');
  t.ok(labels('input.list.').includes('exists()'));
});

t.test('nothing within a text, and nothing that is there already', async (t) => {
  t.same(labels('"in'), []);
  t.same(labels("input.total == 'a\\'in"), []);
  t.same(labels('input.total'), []);
  t.same(labels('nodes["a-b"]'), []);
  t.same(labels('1'), []);
  t.same(labels('(1)'), []);
  t.same(labels(`${'x.'.repeat(100)}y`), []);
});

t.test('what takes the place of what was typed', async (t) => {
  t.match(at('1 + inp')[0], { insert: 'input', from: 4, to: 7 });
  t.match(at('nodes.a')[0], { insert: '["a-b"]', from: 5, to: 7 }, 'a hyphen would be a subtraction');
  t.match(at('input.o')[0], { insert: '["odd key"]', from: 5, to: 7 });
  t.match(
    at('input.in').find(({ label }) => label === 'in'),
    undefined,
  );
  t.match(
    at('input.i').find(({ label }) => label === 'in'),
    { insert: '["in"]' },
    'a word of the language',
  );
  t.match(at('siz')[0], { insert: 'size()', caret: 5 }, 'the caret stands between the brackets');
  t.match(at('inp > 3', {}, 3)[0], { insert: 'input', from: 0, to: 3 }, 'in the middle of a text');
});

t.test('only what an expression reads is sent', async (t) => {
  t.same(nodesIn('nodes.fetch.output + nodes["a-b"].output + nodes[\'c\'].output'), ['fetch', 'a-b', 'c']);
  t.same(Object.keys(namesFor('nodes.fetch.output', names).nodes as object), ['fetch']);
  t.same(namesFor('nodes.constructor', names).nodes, {});
  t.match(namesFor('item', { ...names, items: true }), { item: null, index: 0 });
  t.same(namesFor('event.type', { ...names, event: true }), { event: names.sample!.event });
});
