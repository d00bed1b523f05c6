import t from 'tap';
import { fitsPattern, onlyType, patternsOf } from './patterns.ts';

t.test('patterns of handlers', async (t) => {
  t.same(
    ['a.b', 'a.*', '*', 'a', 'b.*', 'a.b.c'].map((pattern) => fitsPattern(pattern, 'a.b')),
    [true, true, true, false, false, false],
  );
  t.same(patternsOf(' run.*,build.done\n  x '), ['run.*', 'build.done', 'x']);
  t.same([['a'], ['a.*'], ['a', 'b'], []].map(onlyType), ['a', undefined, undefined, undefined]);
});
