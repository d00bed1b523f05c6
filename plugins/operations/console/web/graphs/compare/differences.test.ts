import t from 'tap';
import type { GraphDocument } from '../document.ts';
import { byNode, differencesOf } from './differences.ts';

const before: GraphDocument = {
  version: 'svc-graph/v1',
  nodes: [
    { id: 'a', type: 'set', config: { values: 1 } },
    { id: 'b', type: 'set', position: { x: 0, y: 0 } },
    { id: 'gone', type: 'delay' },
    { id: 'same', type: 'set' },
  ],
  edges: [
    { from: 'a', to: 'b' },
    { from: 'a', to: 'gone', when: true },
  ],
};
const after: GraphDocument = {
  version: 'svc-graph/v1',
  title: 'Second',
  nodes: [
    { id: 'a', type: 'set', config: { values: 2 } },
    { id: 'b', type: 'set', position: { x: 9, y: 0 } },
    { id: 'new', type: 'delay' },
    { id: 'same', type: 'set' },
  ],
  edges: [
    { from: 'a', to: 'b' },
    { from: 'a', to: 'gone', when: 'true' },
  ],
};

t.test('one drawing has what was, what is and what changed', async (t) => {
  const { both, marks, edgeMarks, changes } = differencesOf(before, after);
  t.same(
    both.nodes.map(({ id }) => id),
    ['a', 'b', 'new', 'same', 'gone'],
  );
  t.same(
    [...marks],
    [
      ['a', { tone: 'changed', note: 'config.values' }],
      ['b', { tone: 'quiet', status: 'moved' }],
      ['gone', { tone: 'removed' }],
      ['new', { tone: 'added' }],
    ],
  );
  t.same([...edgeMarks.values()], [{ tone: 'added' }, { tone: 'removed' }], 'a text is not the same as true');
  t.match(byNode(changes).get('a'), [{ field: 'config.values', from: 1, to: 2 }]);
  t.ok(
    changes.some(({ subject, to }) => subject === 'title' && to === 'Second'),
    'and members of the graph',
  );
  t.same(differencesOf(before, before).changes, []);
});
