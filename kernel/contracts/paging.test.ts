import t from 'tap';
import { pageOf, readPage } from './paging.ts';

t.test('pages end where the next begins', async (t) => {
  const id = (n: number) => `tok_${String(n).padStart(26, '0')}`;
  const rows = [3, 2, 1].map((n) => ({ id: id(n) }));
  const { items, next_cursor } = pageOf(rows, 2, (row) => row.id);
  t.same(items, [{ id: id(3) }, { id: id(2) }]);
  t.same(readPage({ limit: '2', cursor: next_cursor! }), { limit: 2, before: id(2) });
  t.notOk('next_cursor' in pageOf(rows, 3, (row) => row.id));
  t.same(readPage({}), { limit: 50, before: undefined });
  for (const cursor of ['x', 'AAAA', Buffer.from("tok_' OR 1=1").toString('base64url')])
    t.throws(() => readPage({ cursor }), { code: 'invalid_request' }, cursor);
});
