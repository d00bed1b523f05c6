import t from 'tap';
import { atField, findingWords, placed, pointerPart, splitProblem } from './findings.ts';

const document = {
  version: 'svc-graph/v1' as const,
  nodes: [{ id: 'ask', type: 'http', config: { 'a b': { 'c/d': 1 } } }],
  edges: [{ from: 'ask', to: 'nobody', when: true }],
};

t.test('a pointer is told from the message, also with spaces in names', async (t) => {
  t.same(splitProblem('has no nodes', document), { pointer: '', message: 'has no nodes' });
  t.same(splitProblem('/nodes/0/config/url is required', document), {
    pointer: '/nodes/0/config/url',
    message: 'is required',
  });
  t.same(splitProblem('/nodes/0/config/a b/c~1d must be a string', document), {
    pointer: '/nodes/0/config/a b/c~1d',
    message: 'must be a string',
  });
  t.equal(pointerPart('a/~'), 'a~1~0');
});

t.test('a finding is placed at its node, its edge, or the graph', async (t) => {
  const fault = { message: 'is bad', warning: false };
  const node = placed({ ...fault, pointer: '/nodes/0/config/url' }, document);
  t.match(node, { node: 'ask', within: '/config/url' });
  t.equal(findingWords({ ...node, message: 'is required' }), 'ask needs url');
  t.equal(
    findingWords({ ...node, message: 'is required' }, () => 'Ask the shop'),
    'Ask the shop needs url',
  );
  t.equal(findingWords(node), 'ask › url: is bad');
  const orphan = placed({ message: '(ask) has no edge', warning: true, pointer: '/nodes/0' }, document);
  t.equal(
    findingWords(orphan, () => 'Ask the shop'),
    'Ask the shop: has no edge',
  );
  t.match(placed({ ...fault, pointer: '/edges/0/to' }, document), { node: 'ask', edge: '["ask","nobody",true]' });
  t.equal(findingWords(placed({ ...fault, pointer: '/output' }, document)), 'output: is bad');
  t.equal(findingWords(placed({ ...fault, pointer: '' }, document)), 'is bad');
  t.match(placed({ message: 'node ask needs a and b', warning: true, pointer: '' }, document), {
    node: 'ask',
    within: '',
  });
  t.notOk('node' in placed({ ...fault, message: 'node nobody is', pointer: '' }, document));
  t.notOk('node' in placed({ ...fault, pointer: '/nodes/7/id' }, document));
  t.same(atField([node], '/config/url'), [node]);
  t.same(atField([node], '/config'), []);
  t.same(atField([node], '/config', true), [node]);
});
