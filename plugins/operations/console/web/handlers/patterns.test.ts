import t from 'tap';
import { onlyType, patternsOf } from './patterns.ts';

t.test('patterns of handlers', async (t) => {
  t.same(patternsOf(' run.*,build.done\n  x '), ['run.*', 'build.done', 'x']);
  t.same([['a'], ['a.*'], ['a', 'b'], []].map(onlyType), ['a', undefined, undefined, undefined]);
});
