import t from 'tap';
import { readJson, writeJson } from './numbers.mjs';

const TEXT =
  '{"id":820982911946154508,"l":[-9223372036854775808,1234567890123456,1.5,1e20],"s":"\\"820982911946154508\\\\","12345678901234567":1}';

t.test('whole numbers beyond 2^53 are bigints, and nothing else is', async (t) => {
  t.same(readJson(TEXT), {
    id: 820_982_911_946_154_508n,
    l: [-9_223_372_036_854_775_808n, 1_234_567_890_123_456, 1.5, 1e20],
    s: '"820982911946154508\\',
    '12345678901234567': 1,
  });
  t.same(readJson('["bigint:5","#bigint:6",12345678901234567890]'), [
    'bigint:5',
    '#bigint:6',
    12_345_678_901_234_567_890n,
  ]);
  t.equal(readJson('9007199254740993'), 9_007_199_254_740_993n);
  t.throws(() => readJson('{"a":12345678901234567x}'), SyntaxError);
  const long = `["${'\\\\'.repeat(1_000_000)}",9007199254740993]`;
  t.equal(writeJson(readJson(long)), long);
});

t.test('bigints are written as whole numbers, with and without help of the engine', async (t) => {
  const value = { a: 5n, b: ['bigint:7', 820_982_911_946_154_508n], c: '#bigint:"8"' };
  const written = '{"a":5,"b":["bigint:7",820982911946154508],"c":"#bigint:\\"8\\""}';
  t.equal(JSON.stringify(readJson('[820982911946154508]')), '[820982911946154508]', 'the engine has been told');
  t.equal(writeJson(value), written);
  const known = Object.getOwnPropertyDescriptor(BigInt.prototype, 'toJSON')!;
  delete (BigInt.prototype as { toJSON?: unknown }).toJSON;
  t.teardown(() => Object.defineProperty(BigInt.prototype, 'toJSON', known));
  t.equal(writeJson(value), written);
  const cycle: Record<string, unknown> = { n: 1n };
  cycle.cycle = cycle;
  t.throws(() => writeJson(cycle), TypeError);
  t.equal(writeJson(undefined), undefined);
});
