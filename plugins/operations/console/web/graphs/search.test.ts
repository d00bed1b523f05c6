import t from 'tap';
import { readGraphSearch, readGraphWords } from './search.ts';

t.test('only what a page knows is taken from its address', async (t) => {
  t.same(readGraphSearch({ tab: 'compare', version: '3', node: 'a', from: 1, to: 2, more: 1 }), {
    ...{ tab: 'compare', version: 3, node: 'a', from: 1, to: 2 },
  });
  t.same(readGraphSearch({ tab: 'nope', version: -1, node: 5, from: 'x', to: 1.5 }), {});
  t.same(readGraphWords({ q: ' pay ' }), { q: 'pay' });
  t.same(readGraphWords({ q: 7 }), { q: '7' });
  t.same(readGraphWords({ q: ['a'] }), {});
});
