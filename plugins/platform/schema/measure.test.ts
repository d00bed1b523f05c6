import t from 'tap';
import { jsonNestsDeeper, JSON_LIMITS, measureJson, nestsTooDeep, parseJson, yieldBeforeLarge } from './contract.ts';

const NONE = { json_values: Infinity, json_members: Infinity, json_depth: Infinity };
const MIB = 1024 * 1024;

/** What a value has, by walking it. */
function walked(value: unknown): { values: number; members: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { values: 1, members: 0, depth: 0 };
  const inner = Object.values(value).map(walked);
  const sum = (pick: 'values' | 'members') => inner.reduce((all, one) => all + one[pick], 0);
  return {
    values: 1 + sum('values'),
    members: (Array.isArray(value) ? 0 : inner.length) + sum('members'),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
  };
}

t.test('what is measured is what is there, whatever texts hold', async (t) => {
  const texts = ['', 'plain', 'with "quotes"', 'back\\slash', '\\', '"', '[{,:]}', '\u2028', '😀', '\\"', ':,[{'];
  for (const one of texts)
    for (const value of [
      one,
      [one, one],
      { [one]: one },
      { a: [one, { [`${one}x`]: [[one]], b: 1 }], c: { d: one } },
      [[], {}, [[]], { a: {} }, one],
    ])
      for (const json of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
        const raw = Buffer.from(json);
        const { values, members, depth } = walked(value);
        const name = encodeURIComponent(json);
        t.equal(measureJson(raw, NONE).members, members, name);
        t.ok(measureJson(raw, NONE).values >= values, `every value is counted: ${name}`);
        t.notOk(jsonNestsDeeper(raw, depth), name);
        t.equal(jsonNestsDeeper(raw, depth - 1), depth > 0, name);
        t.equal(nestsTooDeep(value, depth), false);
        t.equal(nestsTooDeep(value, depth - 1), depth > 0);
      }
});

t.test('reading ends where a limit is exceeded', async (t) => {
  const over = (json: string) => measureJson(Buffer.from(json), JSON_LIMITS);
  const deep = over('['.repeat(8 * MIB));
  t.match(deep, { exceeded: 'json_depth' });
  t.ok(deep.values <= JSON_LIMITS.json_depth + 2, `${deep.values} values were read`);
  const wide = over(`[${'0,'.repeat(4 * MIB)}0]`);
  t.match(wide, { exceeded: 'json_values', values: JSON_LIMITS.json_values + 1 });
  const many = over(`{${'"a":0,'.repeat(1.3 * MIB)}"a":0}`);
  t.match(many, { exceeded: 'json_members', members: JSON_LIMITS.json_members + 1 });
  const exact = over(`[${'1.0,'.repeat(JSON_LIMITS.json_exact! + 5)}0]`);
  t.match(exact, { exceeded: 'json_exact', exact: JSON_LIMITS.json_exact! + 1 });
  t.equal(over(`[${'0.1234567890123456,'.repeat(JSON_LIMITS.json_exact! + 5)}0]`).exceeded, undefined);
  t.throws(() => parseJson(Buffer.from(`[${'1e9,'.repeat(700_001)}0]`)), {
    code: 'invalid_request',
    message: /more than 700000 numbers .*write them shorter, or as strings/,
  });
});

t.test('what exceeds a limit is never parsed', async (t) => {
  const { parse } = JSON;
  let parsed = 0;
  JSON.parse = (text: string) => {
    parsed += 1;
    return parse(text) as unknown;
  };
  t.teardown(() => {
    JSON.parse = parse;
  });
  const members = Array.from({ length: JSON_LIMITS.json_members + 1 }, (_, n) => `"m${n}":0`).join();
  for (const json of ['['.repeat(MIB), `{${members}}`, `[${'0,'.repeat(JSON_LIMITS.json_values)}0]`])
    t.throws(() => parseJson(Buffer.from(json)), { code: 'invalid_request' });
  t.equal(parsed, 0);
});

t.test('large documents that arrive together are parsed in turns', async (t) => {
  t.equal(yieldBeforeLarge(1000), undefined, 'small ones at once');
  let turns = 0;
  const count = () => {
    turns += 1;
    if (turns < 100) setImmediate(count);
  };
  setImmediate(count);
  const seen = await Promise.all(
    [1, 2, 3].map(async () => {
      await yieldBeforeLarge(1_000_000);
      return turns;
    }),
  );
  t.equal(new Set(seen).size, 3, `turns ${seen.join()}`);
});
