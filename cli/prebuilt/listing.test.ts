import { mkdirSync, rmSync, statfsSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { compare, listingOf, LOCAL_FILE_SYSTEMS } from './listing.mjs';

const ENTRY = 'the entry';
const MINUTE = 60_000;

/** A folder with two sources, and their listing as if they had been written long before it. */
function listed(t: Test) {
  const home = t.testdir({ 'a.ts': 'one', 'b.ts': 'two', node_modules: {} });
  const listing = listingOf({ home, entry: ENTRY, inputs: ['a.ts', 'b.ts'], began: Date.now() + 10 * MINUTE })!;
  return { home, listing, path: join(home, 'a.ts'), is: (entry = ENTRY) => compare(home, entry, listing) };
}

const LATER = new Date(1_000_000);

t.test('nothing has changed', async (t) => {
  const { is } = listed(t);
  t.same(is(), { same: true, renewed: undefined });
});

t.test('another entry, other contents and a missing file are changes', async (t) => {
  const { path, is } = listed(t);
  t.same(is('another entry'), { same: false });
  // As long as it was, and as old.
  const { atime, mtime } = statSync(path);
  writeFileSync(path, 'two');
  utimesSync(path, atime, mtime);
  t.same(is(), { same: false });
  rmSync(path);
  t.same(is(), { same: false });
  mkdirSync(path);
  t.throws(() => is(), { code: 'EISDIR' }, 'what cannot be compared is no answer');
});

t.test('new times with the same contents are no change, and are listed once they are a minute old', async (t) => {
  const { path, home, is } = listed(t);
  utimesSync(path, LATER, LATER);
  t.same(is(), { same: true, renewed: undefined }, 'it may be written again within the same tick');
  t.intercept(Date, 'now', { value: () => statSync(path).ctimeMs + 2 * MINUTE });
  const { same, renewed } = is();
  t.ok(same);
  if (isLocal(home)) t.same(compare(home, ENTRY, renewed!), { same: true, renewed: undefined }, 'it is not read again');
});

const isLocal = (home: string): boolean => LOCAL_FILE_SYSTEMS.has(statfsSync(home).type);

t.test('the times of a file count only if it had not changed for a minute when it was read', async (t) => {
  const { home, listing, path } = listed(t);
  writeFileSync(path, 'six');
  // As if it had been written within the tick in which it was read.
  const { size, mtimeMs, ctimeMs, ino, dev } = statSync(path);
  listing.stats.splice(0, 5, size, mtimeMs, ctimeMs, ino, dev);
  t.same(compare(home, ENTRY, { ...listing, began: ctimeMs + MINUTE }), { same: false });
  if (isLocal(home)) t.match(compare(home, ENTRY, { ...listing, began: ctimeMs + MINUTE + 1 }), { same: true });
});

t.test('what was written since it was read cannot be listed', async (t) => {
  const { home, path } = listed(t);
  const { ctimeMs } = statSync(path);
  const of = (began: number) => listingOf({ home, entry: ENTRY, inputs: ['a.ts'], began });
  t.equal(of(ctimeMs), undefined);
  t.ok(of(ctimeMs + 1000));
});
