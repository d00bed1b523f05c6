import t from 'tap';
import { SharedReads } from './contract.ts';

/** Reads that answer when they are let go, each key with itself. */
function world(most?: number) {
  const reads: { keys: string[]; go(): void; fail(error: Error): void }[] = [];
  const shared = new SharedReads<string>((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>();
    const found = new Map(keys.filter((key) => key !== 'absent').map((key) => [key, key]));
    reads.push({ keys, go: () => resolve(found), fail: reject });
    return promise;
  }, most);
  return { shared, reads };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

t.test('what is asked at once is read once, and what comes meanwhile together', async (t) => {
  const { shared, reads } = world();
  const first = ['a', 'b', 'a', 'absent'].map((key) => shared.get(key));
  await settled();
  t.same(
    reads.map(({ keys }) => keys),
    [['a', 'b', 'absent']],
  );
  const second = shared.get('a');
  await settled();
  t.same(reads[1]?.keys, ['a'], 'not the answer of a read that began before');
  const third = ['c', 'd', 'c'].map((key) => shared.get(key));
  await settled();
  t.equal(reads.length, 2, 'two are under way');
  reads[0]!.go();
  t.same(await Promise.all(first), ['a', 'b', 'a', undefined]);
  await settled();
  t.same(reads[2]?.keys, ['c', 'd']);
  reads[1]!.go();
  reads[2]!.go();
  t.same(await Promise.all([second, ...third]), ['a', 'c', 'd', 'c']);
});

t.test('at most 128 at a time', async (t) => {
  const { shared, reads } = world();
  const all = Array.from({ length: 300 }, (_, i) => shared.get(String(i)));
  for (let at = 0; at < 3; at++) {
    await settled();
    reads[at]!.go();
  }
  t.same(
    reads.map(({ keys }) => keys.length),
    [128, 128, 44],
  );
  t.equal((await Promise.all(all)).at(-1), '299');
});

t.test('fewer at a time where rows are large', async (t) => {
  const { shared, reads } = world(2);
  const all = ['a', 'b', 'c', 'd', 'e'].map((key) => shared.get(key));
  for (let at = 0; at < 3; at++) {
    await settled();
    reads[at]!.go();
  }
  t.same(
    reads.map(({ keys }) => keys),
    [['a', 'b'], ['c', 'd'], ['e']],
  );
  t.same(await Promise.all(all), ['a', 'b', 'c', 'd', 'e']);
});

t.test('one that cannot be read fails alone', async (t) => {
  const { shared, reads } = world();
  const [good, bad] = [shared.get('good'), shared.get('bad')];
  bad.catch(() => undefined);
  await settled();
  reads[0]!.fail(new Error('one of them'));
  await settled();
  t.same(
    reads.slice(1).map(({ keys }) => keys),
    [['good'], ['bad']],
  );
  reads[1]!.go();
  reads[2]!.fail(new Error('it is broken'));
  t.equal(await good, 'good');
  await t.rejects(bad, { message: 'it is broken' });
});
