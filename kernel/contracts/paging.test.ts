import t from 'tap';
import { decodeCursor, encodeCursor, pageOf, readPage } from './paging.ts';

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

t.test('a cursor reads back', async (t) => {
  t.same(decodeCursor(encodeCursor('run_1', 7), 'id', 'number'), ['run_1', 7]);
  t.equal(decodeCursor(undefined, 'text'), undefined);
});

t.test('anything else is refused as bad input', async (t) => {
  const bad = ['', 'x', '%%%', encodeCursor(), encodeCursor(1), encodeCursor('a', 'b'), encodeCursor('x'.repeat(513))];
  for (const cursor of [
    ...bad,
    Buffer.from('{"length":1}').toString('base64url'),
    Buffer.from('null').toString('base64url'),
  ])
    t.throws(() => decodeCursor(cursor, 'text'), { code: 'invalid_request', status: 400 }, cursor);
  for (const part of [1.5, Number.MAX_VALUE])
    t.throws(() => decodeCursor(encodeCursor(part), 'number'), {
      code: 'invalid_request',
    });
  for (const id of ['', 'run 1', 'rün', 'x'.repeat(65)])
    t.throws(() => decodeCursor(encodeCursor(id), 'id'), { code: 'invalid_request' }, id);
});
