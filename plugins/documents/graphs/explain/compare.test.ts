import t from 'tap';
import { compareGraphs, formatChange } from './compare.ts';

t.test('cases of edges, policies of nodes and members of the graph are differences', async (t) => {
  const before = {
    version: 'svc-graph/v1',
    nodes: [{ id: 'c', type: 'condition', config: { if: 'true' } }],
    edges: [{ from: 'c', to: 'd', when: true }],
  };
  const after = {
    version: 'svc-graph/v1',
    on_failure: 'finish',
    nodes: [{ id: 'c', type: 'condition', config: { if: 'true' }, continue_on_error: true }],
    edges: [{ from: 'c', to: 'd', when: false }],
  };
  t.same(compareGraphs(before, after).map(formatChange), [
    '+ node c: continue_on_error true',
    '- edge c → d (true)',
    '+ edge c → d (false)',
    '+ on_failure "finish"',
  ]);
  t.same(
    compareGraphs(before, { edges: before.edges, nodes: before.nodes, version: before.version }),
    [],
    'the order of members is none',
  );
});

t.test('a graph without other members differs from one that has some by their names', async (t) => {
  t.same(compareGraphs({ nodes: [] }, { version: 'svc-graph/v1', title: 'A' }).map(formatChange), [
    '+ version "svc-graph/v1"',
    '+ title "A"',
  ]);
});

t.test('nodes and edges in a loop are compared one by one', async (t) => {
  const inner = (values: number) => [
    { id: 'a', type: 'set', config: { values } },
    { id: 'b', type: 'delay', config: { for: '1s' } },
  ];
  const graphOf = (config: object) => ({ nodes: [{ id: 'loop', type: 'each', config: { items: [1], ...config } }] });
  const before = graphOf({ nodes: inner(1), edges: [{ from: 'a', to: 'b' }], concurrency: 2 });
  const after = graphOf({ nodes: [...inner(2), { id: 'c', type: 'emit' }], concurrency: 3 });
  t.same(compareGraphs(before, after).map(formatChange), [
    '~ node loop: config.concurrency 2 → 3',
    '~ node loop/a: config.values 1 → 2',
    '+ node loop/c "emit"',
    '- edge loop/a → b',
  ]);
  t.same(compareGraphs(before, before), []);
});
