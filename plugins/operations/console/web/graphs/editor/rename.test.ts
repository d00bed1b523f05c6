import t from 'tap';
import type { GraphDocument } from '../document.ts';
import { renameInCel } from './cel.ts';
import { copyOf, pasteInto, readText, textOf } from './fragment.ts';
import { renameNode } from './rename.ts';

const to = (id: string) => (id === 'a' ? 'b-c' : id);

t.test('an expression reads a node by its new id, and texts in it stay', async (t) => {
  t.equal(renameInCel('nodes.a.output > 1', to), 'nodes["b-c"].output > 1');
  t.equal(renameInCel(`nodes["a"].output + nodes['a'].status`, to), 'nodes["b-c"].output + nodes["b-c"].status');
  t.equal(renameInCel('nodes.ab.output + x.nodes.a + mynodes.a', to), 'nodes.ab.output + x.nodes.a + mynodes.a');
  t.equal(
    renameInCel(`"nodes.a" + 'it\\'s nodes.a' + r"\\" + nodes . a`, to),
    `"nodes.a" + 'it\\'s nodes.a' + r"\\" + nodes["b-c"]`,
  );
  t.equal(renameInCel('nodes["a', to), 'nodes["a', 'what is not finished yet stays');
});

const readings = { condition: { expressions: ['if'], holes: [] }, chat: { expressions: [], holes: ['with'] } };
const readingOf = (type: string) => (readings as Record<string, { expressions: string[]; holes: string[] }>)[type];

const graph: GraphDocument = {
  version: 'svc-graph/v1',
  nodes: [
    { id: 'a', type: 'set', config: { values: 'nodes.a' }, position: { x: 0, y: 0 } },
    { id: 'check', type: 'condition', config: { if: 'nodes.a.output' }, idempotency_key: '{{ nodes.a.output }}' },
    { id: 'tell', type: 'chat', config: { with: { text: ['Hi {{nodes.a.output}} nodes.a'] }, other: '{{nodes.a}}' } },
    {
      id: 'all',
      type: 'fan_out',
      config: { items: [1], node: { type: 'condition', config: { if: 'nodes.a.output' } } },
    },
  ],
  edges: [
    { from: 'a', to: 'check' },
    { from: 'check', to: 'tell', when: true },
  ],
  output: { $expr: 'nodes.a.output' },
};

t.test('edges, members, holes, items and the output follow a new id', async (t) => {
  const now = renameNode(graph, 'a', 'first', readingOf);
  t.same(now.nodes[0], { ...graph.nodes[0], id: 'first' }, 'a text that is none stays');
  t.match(now.nodes[1], { config: { if: 'nodes.first.output' }, idempotency_key: '{{ nodes.first.output }}' });
  t.same(now.nodes[2]?.config, { with: { text: ['Hi {{nodes.first.output}} nodes.a'] }, other: '{{nodes.a}}' });
  t.match(now.nodes[3], { config: { node: { config: { if: 'nodes.first.output' } } } });
  t.same(now.edges?.[0], { from: 'first', to: 'check' });
  t.equal(now.edges?.[1], graph.edges?.[1]);
  t.same(now.output, { $expr: 'nodes.first.output' });
});

t.test('the nodes of a loop keep reading one another', async (t) => {
  const loopReadings = (type: string) => (type === 'each' ? { expressions: ['items'], holes: [] } : readingOf(type));
  const nodes = [
    { id: 'a', type: 'set', config: { values: 1 } },
    { id: 'b', type: 'set', config: { values: { $expr: 'nodes.a.output' } } },
  ];
  const config = {
    items: 'nodes.a.output',
    input: { $expr: 'nodes.a.output' },
    nodes,
    output: { $expr: 'nodes.a.output' },
  };
  const document = { ...graph, nodes: [...graph.nodes, { id: 'loop', type: 'each', config }] };
  t.same(renameNode(document, 'a', 'first', loopReadings).nodes.at(-1)?.config, {
    ...config,
    items: 'nodes.first.output',
    input: { $expr: 'nodes.first.output' },
  });
});

t.test('what is put in has ids and places of its own, and its inner edges', async (t) => {
  const text = copyOf(graph, new Set(['a', 'check']));
  const { document, ids } = pasteInto(graph, text, readingOf);
  t.same([...ids], ['a_2', 'check_2']);
  t.match(document.nodes.at(-1), { id: 'check_2', config: { if: 'nodes.a_2.output' } });
  t.same(document.nodes[4]?.position, { x: 40, y: 40 });
  t.same(document.edges?.slice(2), [{ from: 'a_2', to: 'check_2' }]);
  t.same([...pasteInto(document, text, readingOf).ids], ['a_3', 'check_3']);
  t.throws(() => pasteInto(graph, 'hello', readingOf), /not JSON/);
  t.throws(() => pasteInto(graph, '{}', readingOf), /not a graph document/);
  t.same(readText(textOf(graph)), graph);
});
