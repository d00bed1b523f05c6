import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import t from 'tap';
import { readAgain } from './read-again.ts';

/** A list on a server, and a page that shows it. Reads end when they are told to. */
function shown() {
  let stored: string[] = [];
  const ends: (() => void)[] = [];
  const client = new QueryClient();
  const observer = new QueryObserver(client, {
    queryKey: ['list', '/secrets', {}],
    queryFn: async () => {
      const read = stored;
      await new Promise<void>((end) => ends.push(end));
      return read;
    },
  });
  const stop = observer.subscribe(() => undefined);
  return {
    client,
    store: (name: string) => (stored = [...stored, name]),
    data: () => observer.getCurrentResult().data,
    reads: () => ends.length,
    /** Ends the read in progress, and lets go on what waits for its end. */
    end: async (n: number) => {
      const ended = Promise.withResolvers<void>();
      const forget = client.getQueryCache().subscribe((event) => {
        if (event.type === 'updated' && event.action.type === 'success') ended.resolve();
      });
      ends[n]!();
      await ended.promise;
      forget();
      await nextTurn();
    },
    stop: () => {
      stop();
      client.clear();
    },
  };
}

t.test('a change made while the first read is in progress is shown', async (t) => {
  const page = shown();
  t.teardown(page.stop);
  page.store('A');
  const again = readAgain(page.client, ['list', '/secrets']);
  t.equal(page.reads(), 1, 'the read in progress goes on');
  await page.end(0);
  t.same(page.data(), [], 'it began before the change');
  t.equal(page.reads(), 2);
  await page.end(1);
  await again;
  t.same(page.data(), ['A']);
});

t.test('changes that come together are read by one read, and each of them awaits it', async (t) => {
  const page = shown();
  t.teardown(page.stop);
  await page.end(0);
  page.store('A');
  const first = readAgain(page.client, ['list', '/secrets']);
  page.store('B');
  const seen: unknown[] = [];
  const others = ['C', 'D'].map((name) => {
    page.store(name);
    return readAgain(page.client, ['list', '/secrets']).then(() => seen.push(page.data()));
  });
  await page.end(1);
  await page.end(2);
  await Promise.all([first, ...others]);
  t.equal(page.reads(), 3);
  t.same(seen, [
    ['A', 'B', 'C', 'D'],
    ['A', 'B', 'C', 'D'],
  ]);
});

t.test('every change on a page is read again by this', (t) => {
  const cwd = resolve(import.meta.dirname, '..');
  const others = globSync('**/*.{ts,tsx}', {
    cwd,
    exclude: (name) => name === 'dist' || name === 'node_modules',
  }).filter(
    (file) =>
      !file.startsWith('api/read-again') && readFileSync(resolve(cwd, file), 'utf8').includes('invalidateQueries'),
  );
  t.same(others, []);
  t.end();
});
