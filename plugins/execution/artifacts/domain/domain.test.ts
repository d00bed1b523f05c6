import t from 'tap';
import { digestHeader, parseDigest, parseDigestHeader } from './digests.ts';
import { PartSplitter } from './part-splitter.ts';
import { sliceParts } from './parts.ts';
import { validatePath } from './paths.ts';
import { parseContentRange, parseRange } from './ranges.ts';
import { parseLimit } from './sizes.ts';

const HEX = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const BASE64 = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=';

t.test('paths', async (t) => {
  for (const path of ['a', 'a/b.txt', '.hidden/..x/y...', 'ä ö/🔒', 'CON', `${'x'.repeat(255)}/y`, 'a:b*?"<>|'])
    t.equal(validatePath(path), undefined, path);
  for (const path of [
    ...[
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '.',
      '..',
      'a/..',
      '../a',
      'a/./b',
      'a\\b',
      '\\',
      'a\0',
      'a\nb',
      'a\u007f',
      '\ud800',
    ],
    ...['x'.repeat(256), `${'a/'.repeat(256)}b`, 'ä'.repeat(257)],
  ])
    t.type(validatePath(path), 'string', JSON.stringify(path.slice(0, 20)));
});

t.test('digests', async (t) => {
  t.equal(digestHeader(HEX), `sha-256=:${BASE64}:`);
  t.equal(parseDigestHeader('repr-digest', `sha-256=:${BASE64}:`), HEX);
  t.equal(parseDigestHeader('repr-digest', `sha-512=:AAAA:, sha-256=:${BASE64}:`), HEX);
  t.equal(parseDigestHeader('repr-digest', undefined), undefined);
  for (const text of [
    '',
    'sha-256',
    `sha-256=${BASE64}`,
    'sha-256=:AAAA:',
    `sha-512=:${BASE64}:`,
    'md5=:AAAA:, x',
    '::',
  ])
    t.throws(() => parseDigestHeader('content-digest', text), { code: 'invalid_request' }, text);
  t.equal(parseDigest(`sha256:${HEX}`, '/x'), HEX);
  for (const text of [HEX, `sha256:${HEX.toUpperCase()}`, `sha256:${HEX}0`, `sha512:${HEX}`, `sha256:${HEX}:x`])
    t.throws(() => parseDigest(text, '/x'), { code: 'invalid_request' }, text);
});

t.test('ranges of uploads and of downloads', async (t) => {
  t.same(parseContentRange('bytes 5-9/20'), { from: 5, to: 10, size: 20 });
  t.same(parseContentRange('bytes */20'), { from: 20, to: 20, size: 20 });
  t.equal(parseContentRange(undefined), undefined);
  for (const text of [
    'bytes 5-4/20',
    'bytes 5-20/20',
    'bytes 0-0/0',
    'bytes 5-9/*',
    'items 1-2/3',
    'bytes=5-9',
    '5-9/20',
  ])
    t.throws(() => parseContentRange(text), { code: 'invalid_request' }, text);
  t.same(parseRange('bytes=0-4', 10), { from: 0, to: 5 });
  t.same(parseRange('bytes=5-', 10), { from: 5, to: 10 });
  t.same(parseRange('bytes=-3', 10), { from: 7, to: 10 });
  t.same(parseRange('bytes=-30', 10), { from: 0, to: 10 });
  t.same(parseRange('bytes=9-900', 10), { from: 9, to: 10 });
  for (const text of [undefined, '', 'bytes=', 'bytes=-', 'bytes=4-2', 'bytes=0-1,4-5', 'lines=0-1', 'bytes=a-b'])
    t.equal(parseRange(text, 10), undefined, `${text}`);
  for (const [text, size] of [
    ['bytes=10-', 10],
    ['bytes=10-20', 10],
    ['bytes=-0', 10],
    ['bytes=0-', 0],
  ] as const)
    t.throws(() => parseRange(text, size), { code: 'artifact_range_invalid', extras: { data: { size } } }, text);
});

t.test('the pieces of a range lie in the parts that hold them', async (t) => {
  const parts = [
    [1, 10],
    [1, 5],
    [3, 10],
  ] as const;
  const pieces = (from: number, to: number) =>
    [...sliceParts(parts, { from, to })].map(({ name, from, to }) => `${name} ${from}-${to}`);
  t.same(pieces(0, 25), ['1-0 0-10', '1-1 0-5', '3-2 0-10']);
  t.same(pieces(9, 11), ['1-0 9-10', '1-1 0-1']);
  t.same(pieces(10, 15), ['1-1 0-5']);
  t.same(pieces(24, 25), ['3-2 9-10']);
  t.same(pieces(0, 0), []);
});

t.test('a stream is cut into parts, and a broken one keeps what came', async (t) => {
  async function* source(...chunks: (string | Error)[]): AsyncGenerator<Buffer> {
    for (const chunk of chunks) {
      if (chunk instanceof Error) throw chunk;
      yield Buffer.from(chunk);
    }
  }
  const cut = async (content: AsyncIterable<Buffer>) => {
    let seen = '';
    const cutter = new PartSplitter(content, (chunk) => (seen += chunk));
    const parts: string[] = [];
    while (await cutter.hasMore()) {
      let part = '';
      for await (const chunk of cutter.nextPart(4)) part += chunk;
      parts.push(part);
    }
    t.equal(seen, parts.join(''), 'each byte is seen once');
    return { parts, failure: cutter.failure };
  };
  t.same(await cut(source('abcdefghij')), { parts: ['abcd', 'efgh', 'ij'], failure: undefined });
  t.same(await cut(source('ab', '', 'cd', 'e')), { parts: ['abcd', 'e'], failure: undefined });
  t.same(await cut(source()), { parts: [], failure: undefined });
  const broken = new Error('cut off');
  t.same(await cut(source('abcde', broken)), { parts: ['abcd', 'e'], failure: broken });
  t.same(await cut(source('abcd', broken)), { parts: ['abcd'], failure: broken });
});

t.test('the limit of a size', async (t) => {
  t.equal(parseLimit(undefined), 5 * 1024 ** 3);
  t.equal(parseLimit('500MiB'), 500 * 1024 ** 2);
  t.equal(parseLimit(' 64GiB '), 64 * 1024 ** 3);
  for (const text of ['0', '5', '5GB', '65GiB', '-1MiB', '1.5GiB', 'GiB'])
    t.throws(() => parseLimit(text), { code: 'setting_invalid', message: /SVC_ARTIFACT_LIMIT/ }, text);
});
