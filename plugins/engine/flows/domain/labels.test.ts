import t from 'tap';
import type { Json } from '../../runs/contract.ts';
import { NODE_ITEM } from './decide.ts';
import { itemLabel } from './labels.ts';

t.test('an item of a matrix is known by its values', async (t) => {
  const items: Json[] = [{ node: '20', os: 'linux' }, { node: 22, more: [1] }, {}, { a: 'x'.repeat(500) }, 'text'];
  const build = { id: 'build', fan_out: { items, named: true } };
  t.equal(itemLabel(build, 0), 'build (node=20, os=linux)');
  t.equal(itemLabel(build, 1), 'build (node=22, more=[1])');
  t.equal(itemLabel(build, 2), undefined);
  t.match(itemLabel(build, 3), /^build \(a=x{100,110}…\)$/);
  t.equal(itemLabel(build, 4), undefined);
  t.equal(itemLabel(build, 9), undefined);
  t.equal(itemLabel(build, NODE_ITEM), undefined, 'the job itself');
  t.equal(itemLabel({ id: 'build', fan_out: { items } }, 0), undefined, 'those of a graph are data');
  t.equal(itemLabel({ id: 'build', fan_out: { items: 'input.list', named: true } }, 0), undefined);
});
