import t from 'tap';
import type { GraphDocument } from '../document.ts';
import { bodyOf, changeAt, graphAt, reachable } from './loops.ts';
import { addNode, changeGraph, nodeOf } from './model.ts';

const inner = { id: 'inner', type: 'each', config: { items: [1], nodes: [{ id: 'a', type: 'set' }] } };
const document: GraphDocument = {
  version: 'svc-graph/v1',
  nodes: [
    { id: 'outer', type: 'each', config: { items: 'input', nodes: [inner, { id: 'b', type: 'set' }], concurrency: 2 } },
    { id: 'odd', type: 'each', config: { nodes: 'nodes.b.output' } },
    { id: 'empty', type: 'each' },
  ],
};

t.test('the graph of a loop is one of its own, and stands at its path', async (t) => {
  t.match(graphAt(document, ['outer', 'inner']), { nodes: [{ id: 'a', position: { x: 0, y: 0 } }], for_item: true });
  t.equal(graphAt(document, []), document);
  t.equal(graphAt(document, ['outer', 'b']), undefined, 'that is no loop');
  t.match(bodyOf(nodeOf(document, 'odd')!), Error, 'no list of nodes');
  t.same(bodyOf(nodeOf(document, 'empty')!), { version: 'svc-graph/v1', nodes: [], edges: [], for_item: true });
  t.same(reachable(document, ['outer', 'gone', 'inner']), ['outer']);
  t.same(reachable(document, ['odd']), []);
});

t.test('a change of it is one of the whole document, and all else stays the same', async (t) => {
  const path = ['outer', 'inner'];
  const after = changeAt(document, path, (level) => addNode(level, { type: 'set' }, 'a').document);
  t.same(
    graphAt(after, path)?.nodes.map(({ id }) => id),
    ['a', 'set'],
  );
  t.same(graphAt(after, path)?.edges, [{ from: 'a', to: 'set' }]);
  t.match(nodeOf(after, 'outer')?.config, { items: 'input', concurrency: 2 });
  t.equal(nodeOf(after, 'odd'), nodeOf(document, 'odd'));
  t.notOk('for_item' in nodeOf(after, 'outer')!.config!);
  t.equal(
    changeAt(document, path, (level) => level),
    document,
    'to look at it changes nothing',
  );
  t.equal(
    changeAt(document, ['odd'], () => document),
    document,
  );
});

t.test('its settings are members of the config', async (t) => {
  const set = changeAt(document, ['empty'], (level) => changeGraph(level, { output: ['x'], on_failure: 'finish' }));
  t.same(nodeOf(set, 'empty')?.config, { nodes: [], output: ['x'], on_failure: 'finish' });
  const unset = changeAt(set, ['empty'], (level) => changeGraph(level, { output: undefined, on_failure: undefined }));
  t.same(nodeOf(unset, 'empty')?.config, { nodes: [] });
});
