/** Texts that nobody means, for names, parameters of queries and members of bodies. */
export const TEXTS: readonly string[] = [
  '',
  ' ',
  '\t\n',
  'x'.repeat(300),
  'x'.repeat(3000),
  'é',
  'ｒｕｎ',
  '🎉',
  'e\u0301\u0301',
  '\u202eabc\u200f',
  '\u0000',
  'a\u0000b',
  '\u0007\u001b[31m',
  '\ufffe\uffff',
  '-1',
  '0',
  '007',
  '1.5',
  '0x10',
  '1e309',
  'NaN',
  'Infinity',
  '9007199254740992',
  '9223372036854775808',
  '-9223372036854775809',
  'true',
  'null',
  'undefined',
  '[]',
  '{}',
  '{"$gt":""}',
  '__proto__',
  'constructor',
  'toString',
  "'; DROP TABLE x; --",
  '%',
  '%00',
  '_%\\',
  '../../etc/passwd',
  '${{ x }}',
  '=1+',
  'a,b,,',
  'a:b:c',
  'a=b',
  '*',
  '(',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00.001Z',
  '2026-02-30T00:00:00Z',
  '1h',
  '99999999999999999999h',
  'run_00000000000000000000000000',
  'run_01ZZZZZZZZZZZZZZZZZZZZZZZZ',
  'http://[::1',
  'eyJhIjoxfQ',
];

/** What stands in a path or a query as it is: escapes that are none, raw bytes, halves of a surrogate pair. */
export const ESCAPES: readonly string[] = [
  '%',
  '%zz',
  '%00',
  'a%00b',
  '%ff',
  '%c3',
  '%c3%28',
  '%ed%a0%80',
  '%u0041',
  '%2f',
  '%2e%2e%2f',
  '%5c',
  '%0d%0a',
  '\u00e9',
  '+',
  ';',
  '%252f',
  '%e2%80%ae',
  'a/b',
  '..',
];

/** Headers hold bytes: neither line breaks nor letters beyond Latin-1 can be sent. */
export const HEADER_TEXTS: readonly string[] = [
  ...TEXTS.filter((text) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text)),
  'bytes=0-',
  'bytes=-1',
  'bytes=5-2',
  'bytes=99999999999999999999-',
  'bytes */7',
  'bytes 0-0/99999999999999999999',
  'bytes 6-0/7',
  'W/"x"',
  '"',
  'sha-256=:AAAA:',
  'sha-256=:!:',
  'Bearer ',
  'Bearer \u00e9',
  'Basic Og==',
  'svc_session=; svc_session=%ff; =; ;',
  '__Host-svc_session=svc_ses_\u00e9',
  'text/plain; charset=\u00e9',
  'application/json; charset=utf-16',
  'multipart/form-data',
];

const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

/** Values as JSON texts, since some cannot be told by values: numbers out of range, members twice, half surrogates. */
export const JSON_TEXTS: readonly string[] = [
  ...TEXTS.map((text) => JSON.stringify(text)),
  ...['"\\ud800"', '"\\udc00a"', '"\\ud83d\\ud83d"', '"a\\u0000b"'],
  ...['null', 'true', 'false', '0', '-0', '-1', '1', '1.5', '1e309', '-1e309', '1e-400', '5e-324', '1e308'],
  ...['255', '65536', '2147483648', '4294967296', '253402300800000', '8640000000000001'],
  ...['9007199254740991', '9007199254740992', '9223372036854775807', '18446744073709551616', '1e21'],
  ...['[]', '{}', '[null]', '[[]]', '[{}]', '[""]', '["a","a"]', '["é"]', '["\\u0000"]', '[1,"a",null,{}]'],
  ...['{"":""}', '{"__proto__":{"a":1}}', '{"constructor":1}', '{"é":"é"}', '{"\\u0000":"\\u0000"}'],
  ...['{"\\ud800":1}', '{"a":1,"a":2}', '{"a":{"b":{"c":[]}}}', '{"A":"x","a":"x"}', '{"toString":null}'],
  JSON.stringify(deep(60)),
  JSON.stringify(deep(101)),
  JSON.stringify(Array.from({ length: 1200 }, (_, n) => `n${n}`)),
  JSON.stringify(Object.fromEntries(Array.from({ length: 1200 }, (_, n) => [`N${n}`, 'x']))),
  JSON.stringify('x'.repeat(70_000)),
  JSON.stringify('é'.repeat(70_000)),
];

/** Bodies that are not JSON, or not what any route takes. */
export const BODIES: readonly string[] = [
  '',
  ' ',
  '{',
  '{"a":}',
  '\u0000',
  '\ufeff{}',
  'null',
  '[]',
  '"x"',
  '1e309',
  '{"__proto__":{"a":1}}',
  '{"a":1,"a":2}',
  '{"\\ud800":"\\ud800"}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
];

/** Numbers from a seed, the same each time. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Some of many, each at most once, in their order. */
export function some<T>(random: () => number, all: readonly T[], count: number): T[] {
  if (all.length <= count) return [...all];
  const chosen = all.map((one) => ({ one, rank: random() }));
  const limit = chosen.map(({ rank }) => rank).toSorted((a, b) => a - b)[count - 1]!;
  return chosen.filter(({ rank }) => rank <= limit).map(({ one }) => one);
}
