import t from 'tap';
import { readViews, sameFilters } from './views.ts';

t.test('kept views are read, whatever stands there', async (t) => {
  t.same(readViews('[{"name":"Orders","filters":{"tag":"order","other":1}},{"name":7},null]'), [
    { name: 'Orders', filters: { tag: 'order' } },
  ]);
  t.same(readViews('not json'), []);
  t.same(readViews('{}'), []);
  t.same(readViews(null), []);
});

t.test('a view is that of an address, in whatever order', async (t) => {
  t.ok(sameFilters({ status: 'failed', tag: 'a' }, { tag: 'a', status: 'failed' }));
  t.notOk(sameFilters({ status: 'failed' }, {}));
});
