import t from 'tap';
import { decodeCursor, encodeCursor } from './cursor.ts';

t.test('a cursor reads back', async (t) => {
  t.same(decodeCursor(encodeCursor(['run_1', 7]), ['id', 'number']), ['run_1', 7]);
  t.equal(decodeCursor(undefined, ['text']), undefined);
});

t.test('anything else is refused as bad input', async (t) => {
  const bad = [
    '',
    'x',
    '%%%',
    encodeCursor([]),
    encodeCursor([1]),
    encodeCursor(['a', 'b']),
    encodeCursor(['x'.repeat(513)]),
  ];
  for (const cursor of [
    ...bad,
    Buffer.from('{"length":1}').toString('base64url'),
    Buffer.from('null').toString('base64url'),
  ])
    t.throws(() => decodeCursor(cursor, ['text']), { code: 'invalid_request', status: 400 }, cursor);
  for (const part of [1.5, Number.MAX_VALUE])
    t.throws(() => decodeCursor(encodeCursor([part]), ['number']), {
      code: 'invalid_request',
    });
  for (const id of ['', 'run 1', 'rün', 'x'.repeat(65)])
    t.throws(() => decodeCursor(encodeCursor([id]), ['id']), { code: 'invalid_request' }, id);
});
