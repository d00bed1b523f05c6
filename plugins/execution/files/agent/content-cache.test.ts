import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { sha256 } from '../domain/digests.ts';
import { ContentCache } from './content-cache.ts';

function opened(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cache-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const fetched: string[] = [];
  const cache = new ContentCache(folder);
  const get = (data: Buffer) => {
    const hex = sha256(data);
    return cache.get(hex, async () => {
      fetched.push(hex);
      return data;
    });
  };
  return { folder: join(folder, 'contents'), fetched, get, cache };
}

t.test('a content is fetched once, also by several at the same time', async (t) => {
  const { get, fetched } = opened(t);
  const data = Buffer.from('one');
  const all = await Promise.all([get(data), get(data), get(data)]);
  t.same(all, [data, data, data]);
  t.same(await get(data), data);
  t.equal(fetched.length, 1);
});

t.test('what a script has changed is fetched again', async (t) => {
  const { folder, get, fetched } = opened(t);
  const data = Buffer.from('one');
  await get(data);
  writeFileSync(join(folder, sha256(data)), 'another');
  t.same(await get(data), data);
  t.equal(fetched.length, 2);
  rmSync(join(folder, sha256(data)));
  t.same(await get(data), data);
  t.equal(fetched.length, 3);
});

t.test('a failed fetch of one does not fail the others', async (t) => {
  const { cache } = opened(t);
  const hex = sha256(Buffer.from('x'));
  const first = cache.get(hex, () => Promise.reject(new Error('lease lost')));
  const second = cache.get(hex, async () => Buffer.from('x'));
  await t.rejects(first, /lease lost/);
  t.same(await second, Buffer.from('x'));
});

t.test('the oldest go when there are too many bytes', async (t) => {
  const { folder, get, fetched } = opened(t);
  const large = (n: number) => Buffer.alloc(8 * 1024 * 1024, n);
  for (let n = 0; n < 9; n++) await get(large(n));
  t.equal(readdirSync(folder).length, 8);
  await get(large(8));
  t.equal(fetched.length, 9);
  await get(large(0));
  t.equal(fetched.length, 10, 'the first one was away');
});
