import t from 'tap';
import { parseExact } from '../../../platform/schema/contract.ts';
import type { Json } from '../../runs/contract.ts';
import { isLargerThan } from './json-size.ts';

t.test('the bytes are those of JSON.stringify', async (t) => {
  const texts = ['null', '[]', '{}', '"é\\n\\""', '[1,[],"a",{}]', '{"ü":{"a":[true,1.5]},"b":null}'];
  const exact = ['{"n":12345678901234567890,"1":2,"0":[1.10]}'];
  for (const value of [...texts, ...exact].map((text) => parseExact(text) as Json)) {
    const bytes = Buffer.byteLength(JSON.stringify(value));
    t.notOk(isLargerThan(bytes, value), `${JSON.stringify(value)} is ${bytes} bytes long`);
    t.ok(isLargerThan(bytes - 1, value), `${JSON.stringify(value)} has more than ${bytes - 1}`);
  }
});

t.test('what is named a million times is not written a million times', async (t) => {
  let value: Json = 'x'.repeat(1000);
  for (let n = 0; n < 30; n += 1) value = [value, value];
  t.ok(isLargerThan(100_000, value));
});
