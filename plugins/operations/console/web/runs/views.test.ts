import t from 'tap';
import { effectiveFilters, sameFilters, storedViews } from './views.ts';

const saved = (name: string, is_private: boolean, filter: object) => ({
  ...{ name, private: is_private, filter },
  ...{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
});

t.test('a private view hides the one of the project, in whatever order they come', async (t) => {
  const views = [
    saved('b', false, { tag: 'all' }),
    saved('b', true, { tag: 'own' }),
    saved('a', false, { paused: true }),
  ];
  const expected = [
    { name: 'a', is_private: false, filters: { paused: 'true' } },
    { name: 'b', is_private: true, filters: { tag: 'own' } },
  ];
  t.same(storedViews(views), expected);
  t.same(storedViews(views.toReversed()), expected);
});

t.test('the filters of the address win over those of its view', async (t) => {
  const views = storedViews([saved('a', false, { status: 'failed', tag: 'x' })]);
  t.same(effectiveFilters({ status: 'waiting' }, undefined), { status: 'waiting' });
  t.same(effectiveFilters({ view: 'a', status: 'waiting' }, views), { status: 'waiting', tag: 'x' });
  t.equal(effectiveFilters({ view: 'a' }, undefined), undefined, 'while the views are read');
  t.equal(effectiveFilters({ view: 'b' }, views), undefined, 'an unknown view');
});

t.test('a view is that of an address, in whatever order', async (t) => {
  t.ok(sameFilters({ status: 'failed', tag: 'a' }, { tag: 'a', status: 'failed' }));
  t.notOk(sameFilters({ status: 'failed' }, {}));
});
