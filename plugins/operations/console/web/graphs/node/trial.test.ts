import t from 'tap';
import { nodesIn } from '../expressions/names.ts';
import { readBy, trialOf } from './trial.ts';

const pack = {
  id: 'pack',
  type: 'shell',
  join: 'any' as const,
  position: { x: 1, y: 2 },
  config: { script: 'echo', env: { ORDER: { $expr: 'nodes.order.output.id' }, B: { $expr: 'nodes["b-c"].output' } } },
};
const seen = (output: unknown) => ({ output, status: 'succeeded', error: null, case: null });

t.test('a trial has the nodes that are read, with the output of the sample', async (t) => {
  t.same(readBy(pack, ['order', 'large', 'b-c'], nodesIn), ['order', 'b-c']);
  const { nodes, edges } = trialOf(pack, ['order', 'b-c'], { nodes: { order: seen({ id: 7 }) } });
  t.same(nodes, [
    { id: 'order', type: 'set', config: { values: { id: 7 } } },
    { id: 'b-c', type: 'set', config: { values: null } },
    { id: 'pack', type: 'shell', config: pack.config },
  ]);
  t.same(edges, [
    { from: 'order', to: 'pack' },
    { from: 'b-c', to: 'pack' },
  ]);
});

t.test('data that looks like an expression is not evaluated', async (t) => {
  const hostile = { a: [{ $expr: 'secrets' }] };
  const { nodes } = trialOf(pack, ['order'], { nodes: { order: seen(hostile) } });
  t.same(nodes[0]?.config, { values: { $expr: '{"a":[{"$expr":"secrets"}]}' } });
});
