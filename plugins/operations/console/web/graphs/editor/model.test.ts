import t from 'tap';
import { edgeKey, type GraphDocument, readDocument } from '../document.ts';
import { casesOf } from './cases.ts';
import { begin, change, redo, undo } from './history.ts';
import { freshId } from './ids.ts';
import * as model from './model.ts';

const ways: GraphDocument = {
  version: 'svc-graph/v1',
  nodes: [
    { id: 'start', type: 'trigger.webhook', position: { x: 0, y: 0 } },
    { id: 'large', type: 'condition', config: { if: 'true' } },
    { id: 'sort', type: 'switch', config: { on: 'input', cases: ['a', 'b', 'a'] } },
    { id: 'end', type: 'set', config: { values: 1 } },
  ],
  edges: [
    { from: 'start', to: 'large' },
    { from: 'large', to: 'sort', when: true },
  ],
};

t.test('a node gets an id of its own, and is connected from the one before', async (t) => {
  const { document, id } = model.addNode(ways, { type: 'trigger.manual' });
  t.equal(id, 'manual');
  const more = model.addNode(document, { type: 'team_chat.post_message', config: undefined }, 'large');
  t.same(more.document.nodes.at(-1), { id: 'post_message', type: 'team_chat.post_message' });
  t.same(more.document.edges?.at(-1), { from: 'large', to: 'post_message', when: false }, 'the case that was free');
  t.equal(model.addNode(model.addNode(ways, { type: 'set' }).document, { type: 'set' }).id, 'set_2');
  t.equal(freshId('a.9ß', new Set(['node'])), 'node_2', 'whatever the type is called');
});

t.test('a removed node takes its edges with it', async (t) => {
  const less = model.removeNodes(ways, new Set(['large']));
  t.same(less.edges, []);
  t.equal(less.nodes.length, 3);
  t.equal(model.removeNodes(ways, new Set(['nobody'])), ways);
});

t.test('moves change what moved alone', async (t) => {
  const now = model.moveNodes(ways, new Map([['end', { x: 1.6, y: 2 }]]));
  t.same(now.nodes[3]?.position, { x: 2, y: 2 });
  t.equal(now.nodes[0], ways.nodes[0]);
  t.equal(model.moveNodes(now, new Map([['end', { x: 2, y: 2 }]])), now);
  t.ok(model.withPlaces(ways).nodes.every(({ position }) => position));
  t.same(model.withPlaces(ways).nodes[0], ways.nodes[0]);
});

t.test('edges: no circle, nothing before a trigger, no double', async (t) => {
  t.notOk(model.canConnect(ways, 'sort', 'start'));
  t.notOk(model.canConnect(ways, 'sort', 'large'), 'that would be a circle');
  t.notOk(model.canConnect(ways, 'sort', 'sort'));
  t.notOk(model.canConnect(ways, 'sort', 'nobody'));
  const a = model.connect(ways, 'sort', 'end');
  t.same(a.edges?.at(-1), { from: 'sort', to: 'end', when: 'a' });
  t.same(model.connect(a, 'sort', 'end').edges?.at(-1), { from: 'sort', to: 'end', when: 'b' });
  t.equal(model.connect(a, 'sort', 'end', 'a'), a);
  const key = edgeKey({ from: 'sort', to: 'end', when: 'a' });
  t.same(model.setWhen(a, key, undefined).edges?.at(-1), { from: 'sort', to: 'end' });
  t.equal(model.setWhen(model.connect(a, 'sort', 'end', 'b'), key, 'b').edges?.length, 4);
  t.equal(model.disconnect(a, new Set([key])).edges?.length, 2);
  t.equal(model.disconnect(a, new Set()), a);
  t.same(casesOf(ways.nodes[2]!), ['a', 'b', 'default']);
  t.same(casesOf({ type: 'switch', config: { cases: { $expr: 'x' } } }), ['default']);
  t.same(casesOf({ type: 'http' }), []);
});

t.test('members and settings are set and taken away', async (t) => {
  const now = model.changeNode(ways, 'end', { timeout: '5s', title: 'The end', config: undefined });
  t.same(now.nodes[3], { id: 'end', type: 'set', timeout: '5s', title: 'The end' });
  t.same(model.changeGraph({ ...ways, subject: 'x' }, { subject: undefined, tags: ['a'] }), { ...ways, tags: ['a'] });
});

t.test('history: bursts are one step, a change ends what was undone', async (t) => {
  let history = begin('');
  history = change(history, 'a', 0, 'title');
  history = change(history, 'ab', 500, 'title');
  history = change(history, 'abc', 1400, 'title');
  t.same(history.past, ['']);
  history = change(history, 'abc!', 2500, 'title');
  history = change(history, 'moved', 2600);
  t.same(history.past, ['', 'abc', 'abc!']);
  t.equal(change(history, 'moved', 3000), history, 'nothing changed');
  history = undo(undo(history));
  t.equal(history.present, 'abc');
  t.equal(redo(history).present, 'abc!');
  history = change(history, 'other', 4000);
  t.equal(redo(history).present, 'other');
  t.equal(undo(begin('x')).present, 'x');
  for (let n = 0; n < 500; n++) history = change(history, `n${n}`, n);
  t.equal(history.past.length, 200);
});

t.test('what cannot be drawn is refused in plain words', async (t) => {
  const node = { id: 'a', type: 'set' };
  t.throws(() => readDocument([]), /not a graph document/);
  t.throws(() => readDocument({ nodes: [node, { id: 1 }] }), /Node 2/);
  t.throws(() => readDocument({ nodes: [node, { ...node, position: { x: 1 } }] }), /Node 2/);
  t.throws(() => readDocument({ nodes: [node, node] }), /have the ID a/);
  t.throws(() => readDocument({ nodes: [node], edges: [{ from: 'a' }] }), /edges/);
  t.same(readDocument({ nodes: [node] }).edges, []);
});

t.test('a node comes into the middle of an edge, and what follows makes room', async (t) => {
  const placed = model.moveNodes(
    ways,
    new Map([
      ['large', { x: 300, y: 0 }],
      ['sort', { x: 576, y: 40 }],
    ]),
  );
  const key = edgeKey({ from: 'large', to: 'sort', when: true });
  const { document, id } = model.insertBetween(placed, key, { type: 'condition' });
  t.same(document.edges, [
    { from: 'start', to: 'large' },
    { from: 'large', to: id, when: true },
    { from: id, to: 'sort', when: true },
  ]);
  t.same(document.nodes.at(-1)?.position, { x: 576, y: 20 });
  t.same(model.nodeOf(document, 'sort')?.position, { x: 852, y: 40 });
  t.same(model.nodeOf(document, 'large')?.position, { x: 300, y: 0 }, 'what comes before stays');
  const trigger = model.insertBetween(placed, key, { type: 'trigger.manual' });
  t.same(trigger.document.edges, placed.edges, 'nothing comes before a trigger');
});
