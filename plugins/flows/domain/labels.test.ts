import t from 'tap';
import type { Json } from '../../runs/contract.ts';
import { WHOLE } from './decide.ts';
import { labelOf } from './labels.ts';

t.test('an item of a matrix is known by its values', async (t) => {
  const items: Json[] = [{ node: '20', os: 'linux' }, { node: 22, more: [1] }, {}, { a: 'x'.repeat(500) }, 'text'];
  const build = { id: 'build', fan_out: { items, named: true } };
  t.equal(labelOf(build, 0), 'build (node=20, os=linux)');
  t.equal(labelOf(build, 1), 'build (node=22, more=[1])');
  t.equal(labelOf(build, 2), undefined);
  t.match(labelOf(build, 3), /^build \(a=x{100,110}…\)$/);
  t.equal(labelOf(build, 4), undefined);
  t.equal(labelOf(build, 9), undefined);
  t.equal(labelOf(build, WHOLE), undefined, 'the job itself');
  t.equal(labelOf({ id: 'build', fan_out: { items } }, 0), undefined, 'those of a graph are data');
  t.equal(labelOf({ id: 'build', fan_out: { items: 'input.list', named: true } }, 0), undefined);
});
