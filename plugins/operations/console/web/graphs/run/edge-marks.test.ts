import t from 'tap';
import type { NodeRecord } from '../../../../../../cli/generated/api.ts';
import { edgeKey } from '../document.ts';
import { edgeStatesOf, recordsOf } from './edge-marks.ts';

const node = (id: string, more: Partial<NodeRecord>): NodeRecord => ({
  ...{ node: id, type: 'set', state: 'succeeded', attempt: 1 },
  ...more,
});

t.test('what came along each edge', async (t) => {
  const edges = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c', when: true },
    { from: 'b', to: 'd', when: false },
    { from: 'c', to: 'e' },
    { from: 'e', to: 'f' },
  ];
  const nodes = [
    node('a', { output: [1, 2] }),
    node('b', { case: true, output: true }),
    node('c', { items: { total: 3, begun: 3, ended: 3, failed: 0 } }),
    node('c', { item: 0, state: 'failed' }),
    node('d', { state: 'skipped' }),
    node('e', { state: 'running' }),
    node('f', { state: 'waiting' }),
  ];
  const marks = edgeStatesOf({ edges }, recordsOf(nodes));
  t.same(
    edges.map((edge) => marks.get(edgeKey(edge))),
    [
      { tone: 'good', status: '2 items', count: 2 },
      { tone: 'good', status: '1 item', count: 1 },
      { tone: 'quiet', status: 'not taken' },
      { tone: 'busy', status: '3 items', count: 3 },
      undefined,
    ],
  );
});
