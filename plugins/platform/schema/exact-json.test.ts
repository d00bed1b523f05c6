import t from 'tap';
import {
  compile,
  ExactNumber,
  measureJson,
  parseExact,
  parseJson,
  parseJsonYielding,
  copySpelling,
  detachMember,
  writeJsonYielding,
} from './contract.ts';
import { longestHold, maxHoldMs } from '../../../test/kit/index.ts';
import { JSON_TEXTS } from '../../../test/support/fuzz-values.ts';
import { SyntaxReader } from './contract/json-syntax-error.ts';

const NUMBERS = [
  ...[
    '0',
    '-0',
    '7',
    '-12',
    '1.0',
    '-0.0',
    '10.50',
    '0.1',
    '1e2',
    '1E+2',
    '1e-7',
    '0.0000001',
    '0.000001',
    '-0.00000012',
  ],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '820982911946154508'],
  ...['9223372036854775807', '-9223372036854775808', '18446744073709551615', '18446744073709551616'],
  ...['123456789012345678901234567890', '1e400', '-1e400', '1e-400', '0.1000000000000000055', '0.10000000000000001'],
  ...[
    '0.30000000000000004',
    '5e-324',
    '1.7976931348623157e308',
    '100000000000000000000',
    '1e21',
    '123456.789012345678',
  ],
];
const NAMES = [
  'a',
  'b c',
  '10',
  '9',
  '0',
  '01',
  '4294967295',
  '4294967294',
  '99999999999',
  '__proto__',
  'é"\\',
  '1.0',
  '-1',
  '',
];
const TEXTS = ['', 'x', '1.0', '820982911946154508', '"9":1', '\\', 'tail\\"', '[1.50,', 'line\nend', '\u2028😀'];
const SPACES = ['', '', '', ' ', '\n\t', '\r\n  '];

/** A generator of documents, the same in every run. */
function documents(seed: number) {
  let state = seed;
  const below = (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const gap = () => one(SPACES);
  /** What is written and how it is to come back: the same tokens without the space between them. */
  function document(depth: number): { sent: string; kept: string } {
    const kind = below(depth === 0 ? 3 : 6);
    if (kind === 0) return same(one(['true', 'false', 'null']));
    if (kind === 1) return same(JSON.stringify(one(TEXTS)));
    if (kind === 2) return same(one(NUMBERS));
    const names = [...new Set(Array.from({ length: below(5) }, () => one(NAMES)))];
    const parts = names.map((name) => ({ name: JSON.stringify(name), value: document(depth - 1) }));
    const list = kind === 3;
    const joined = (pick: 'sent' | 'kept', space: () => string) =>
      parts
        .map(({ name, value }) => `${space()}${list ? '' : `${name}${space()}:${space()}`}${value[pick]}${space()}`)
        .join(',');
    const [open, close] = list ? '[]' : '{}';
    return { sent: `${open}${joined('sent', gap)}${close}`, kept: `${open}${joined('kept', () => '')}${close}` };
  }
  return () => document(4);
}

const same = (text: string) => ({ sent: text, kept: text });

t.test('a document comes back as it was, but for the space between its tokens', async (t) => {
  const next = documents(42);
  let [exact, plain] = [0, 0];
  for (let n = 0; n < 20_000; n++) {
    const { sent, kept } = next();
    const raw = Buffer.from(sent);
    const found = JSON.stringify(parseExact(sent));
    if (found !== kept) t.equal(found, kept, 'read as a text');
    if (JSON.stringify(parseJson(raw)) !== kept) t.equal(JSON.stringify(parseJson(raw)), kept, 'read as bytes');
    const byParse = JSON.stringify(JSON.parse(sent)) === kept;
    if (byParse) plain += 1;
    else exact += 1;
    // What is measured may call for a second look, and never may not.
    const { canonical: measured } = measureJson(raw, { json_values: 1e9, json_members: 1e9, json_depth: 1e9 });
    if (measured && !byParse) t.fail(`measured as plain: ${sent}`);
  }
  t.ok(exact > 5000 && plain > 3000, `${exact} documents that JSON.parse changes, ${plain} that it does not`);
});

t.test('a number alone is kept as well', async (t) => {
  const written = (text: string) => JSON.stringify(parseExact(text));
  for (const text of [
    '820982911946154508',
    '-9223372036854775808',
    '1e400',
    '0.1000000000000000055',
    '123456789012345678901',
  ])
    t.equal(written(text), text);
  t.equal(Number(parseExact('1.0')), 1);
  const value = parseExact('{"one":1.0,"many":[1.0],"plain":1}') as object;
  t.equal(
    JSON.stringify(['one', 'many', 'plain', 'none'].map((name) => detachMember(value, name))),
    '[1.0,[1.0],1,null]',
  );
});

t.test('whole numbers beyond 2^53 are of type bigint, others that no double keeps have their text', async (t) => {
  t.equal(parseExact('9007199254740993'), 9_007_199_254_740_993n);
  t.equal(parseExact('820982911946154500'), 820_982_911_946_154_500n, 'even where a double happens to print it');
  t.equal(parseExact('9007199254740991'), 9_007_199_254_740_991);
  t.same(parseExact('[1e2]'), [100]);
  const long = parseExact('0.1000000000000000055') as ExactNumber;
  t.type(long, ExactNumber);
  t.equal(Number(long), 0.1);
  t.equal(`${long}`, '0.1000000000000000055');
  t.equal(Number(parseExact('1e400')), Infinity);
});

t.test('a member that is changed later is written as it is then', async (t) => {
  const value = parseExact('{"2":1.0,"1":[1.50,2.0]}') as Record<string, unknown>;
  t.equal(JSON.stringify(value), '{"2":1.0,"1":[1.50,2.0]}');
  value['2'] = 5;
  (value['1'] as unknown[])[1] = 'x';
  value.more = true;
  t.equal(JSON.stringify(value), '{"2":5,"1":[1.50,"x"],"more":true}');
  delete value['2'];
  t.equal(JSON.stringify(value), '{"1":[1.50,"x"],"more":true}');
  t.same(Object.keys(parseExact('{"a":1.0}') as object), ['a'], 'the spelling is no field');
  t.equal(JSON.stringify(copySpelling({ 1: 3, 2: 1 }, parseExact('{"2":1.0,"1":3.0}') as object)), '{"2":1.0,"1":3.0}');
});

t.test('of members with one name the last counts', async (t) => {
  t.equal(JSON.stringify(parseExact('{"a":1.0,"b":2.0,"a":1}')), '{"a":1,"b":2.0}');
  t.equal(JSON.stringify(parseExact('{"a":9007199254740993,"a":"x","a":2.50}')), '{"a":2.50}');
});

t.test('depth and length take no stack and no time', async (t) => {
  const deep = `${'['.repeat(500_000)}1.0${']'.repeat(500_000)}`;
  t.ok(Array.isArray(parseExact(deep)));
  for (const long of [`1${'0'.repeat(2_000_000)}`, `0.${'0'.repeat(2_000_000)}1`, `[${'-'}${'9'.repeat(2_000_000)}]`])
    t.equal(JSON.stringify(parseExact(long)).length, long.length);
  const escapes = `["${'\\\\'.repeat(500_000)}",1.0]`;
  t.equal(JSON.stringify(parseExact(escapes)), escapes);
});

t.test('a schema sees the nearest double, and puts it where it asks for a number', async (t) => {
  const validate = compile({
    type: 'object',
    properties: {
      count: { type: 'integer', maximum: 2 ** 60 },
      ratio: { type: 'number' },
      payload: {},
      any: { type: ['number', 'string', 'object'] },
    },
    required: ['count'],
    additionalProperties: false,
  });
  const text =
    '{"count":9007199254740993,"ratio":0.10000000000000001,"payload":{"n":9007199254740993},"any":9007199254740993}';
  const value = parseExact(text);
  t.same(validate(value), []);
  t.equal(JSON.stringify(value), text, 'a check alone changes nothing');
  t.same(validate(value, { doubles: true }), []);
  t.equal(
    JSON.stringify(value),
    '{"count":9007199254740992,"ratio":0.1,"payload":{"n":9007199254740993},"any":9007199254740993}',
  );
  t.match(validate(parseExact('{"count":18446744073709551615}')), [{ pointer: '/count', message: /must be at most / }]);
  t.match(validate(parseExact('{"count":"9","payload":18446744073709551615}')), [{ message: 'must be an integer' }]);
});

t.test('to a schema, a number that is held as an object is none', async (t) => {
  const validate = compile({ type: 'object', properties: { any: {}, own: { type: 'object' }, n: { type: 'number' } } });
  const verdict = (text: string) => validate(parseExact(text), { doubles: true }).map(({ pointer }) => pointer);
  t.same(verdict('{"own":1e-400}'), ['/own']);
  t.same(verdict('{"own":{"deep":[1e-400]},"any":1e400}'), []);
  t.same(verdict('{"n":1e400}'), ['/n'], 'no double is near');
  t.same(validate(parseExact('1e-400')).length, 1);
  const union = compile({
    type: 'object',
    properties: { any: { type: ['number', 'object', 'null'] }, n: { type: 'number' } },
  });
  t.same(union(parseExact('{"any":1e400,"n":1e-400}'), { doubles: true }), []);
  t.same(union(parseExact('{"any":[1e400]}')).length, 1);
  const taken = parseExact('{"n":1e-400,"any":1e-400}') as { n: number; any: unknown };
  t.same(validate(taken, { doubles: true }), []);
  t.equal(taken.n, 0);
  t.equal(JSON.stringify(taken), '{"n":0,"any":1e-400}');
});

/** Two MiB and more of documents in one list, which is more than JSON.parse reads at once. */
function largeDocument(): string {
  const make = documents(7);
  const sent: string[] = [];
  for (let bytes = 0; bytes < 2.5 * 1024 * 1024; bytes += Buffer.byteLength(sent.at(-1)!) + 1) sent.push(make().sent);
  return `[${sent.join()}]`;
}

t.test('what is read and written in pieces equals what is read and written at once', async (t) => {
  const make = documents(3);
  for (let n = 0; n < 2000; n++) {
    const value = parseExact(make().sent);
    t.same(await writeJsonYielding(value), { json: Buffer.from(JSON.stringify(value)) });
  }
  const sent = largeDocument();
  const unlimited = { json_values: Infinity, json_members: Infinity, json_depth: 100 };
  const [at_once, in_pieces] = [
    parseJson(Buffer.from(sent), unlimited),
    await parseJsonYielding(Buffer.from(sent), unlimited),
  ];
  t.ok(JSON.stringify(in_pieces) === JSON.stringify(at_once));
  const written = await writeJsonYielding(in_pieces);
  t.ok('json' in written && written.json.equals(Buffer.from(JSON.stringify(at_once))));
  for (const wrong of [sent.slice(0, -1), `${sent}]`, `${sent.slice(0, -1)},]`, sent.replace(/.$/, '\n"\u0001"]')])
    await t.rejects(parseJsonYielding(Buffer.from(wrong), unlimited), { code: 'invalid_request' }, wrong.slice(-20));
});

t.test('a value changed after it was read is written as it is then, in pieces too', async (t) => {
  const value = parseExact('{"10":1.0,"9":[1.0,2.0,3],"x":[1.0,"a"]}') as Record<string, unknown>;
  (value['9'] as number[])[1] = 7;
  (value['9'] as number[]).push(4);
  value['10'] = 2;
  value.y = undefined;
  const text = JSON.stringify(value);
  t.equal(text, '{"10":2,"9":[1.0,7,3,4],"x":[1.0,"a"]}');
  t.same(await writeJsonYielding(value), { json: Buffer.from(text) });
});

t.test('writing ends where a limit is exceeded', async (t) => {
  t.same(await writeJsonYielding([[[]]], { max_depth: 2 }), { exceeded: 'max_depth' });
  t.same(await writeJsonYielding([[[]]], { max_depth: 3 }), { json: Buffer.from('[[[]]]') });
  t.same(await writeJsonYielding('é', { max_bytes: 3 }), { exceeded: 'max_bytes' });
  t.same(await writeJsonYielding('é', { max_bytes: 4 }), { json: Buffer.from('"é"') });
});

t.test('the reader in pieces accepts what JSON.parse accepts', async (t) => {
  const isValid = (text: string) => {
    const reader = new SyntaxReader(text);
    let problem = reader.read(3);
    while (problem === undefined) problem = reader.read(3);
    return problem === null;
  };
  const make = documents(11);
  const texts = [...JSON_TEXTS, ...Array.from({ length: 500 }, () => make().sent)];
  for (const text of texts)
    for (const changed of [
      text,
      text.slice(1),
      text.slice(0, -1),
      `${text}1`,
      text.replace(',', ''),
      text.replace(':', ','),
    ]) {
      let expected = true;
      try {
        JSON.parse(changed);
      } catch {
        expected = false;
      }
      t.equal(isValid(changed), expected, encodeURIComponent(changed).slice(0, 200));
    }
});

t.test('eight MiB of the costliest texts leave the event loop to others', async (t) => {
  const bytes = 8 * 1024 * 1024 - 100;
  const costly = {
    texts: `[${Array.from({ length: 800_000 }, (_, n) => `"${((n * 7919) % 1_000_000) + 100_000}"`).join()}]`,
    numbers: `[${'12345678901234567890,'.repeat(bytes / 21)}0]`,
    decimals: `[${Array.from({ length: 640_000 }, (_, n) => `${n + 100_000}.0`).join()}]`,
    lists: `[${'[1.0],'.repeat(340_000)}0]`,
  };
  for (const [what, text] of Object.entries(costly)) {
    const raw = Buffer.from(text);
    let ms = Number.POSITIVE_INFINITY;
    // Garbage collection is not what is measured, so the best of three counts.
    for (let n = 0; n < 3; n++) {
      const { ms: held } = await longestHold(async () => writeJsonYielding(await parseJsonYielding(raw)));
      ms = Math.min(ms, held);
    }
    t.ok(ms <= 0.4 * maxHoldMs(), `${what}: ${ms.toFixed(0)} ms of ${(0.4 * maxHoldMs()).toFixed(0)}`);
  }
});
