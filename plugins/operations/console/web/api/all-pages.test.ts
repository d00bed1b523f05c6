import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { MAX_PAGES, readAllPages } from './all-pages.ts';

t.test('a list without an end is read up to a bound', async (t) => {
  const cursors: (string | null)[] = [];
  const server = createServer((request, response) => {
    cursors.push(new URL(request.url!, 'http://localhost').searchParams.get('cursor'));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ graphs: [cursors.length], next_cursor: `after-${cursors.length}` }));
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const all = await readAllPages<number>(`http://127.0.0.1:${port}/graphs`, 'graphs', {
    signal: new AbortController().signal,
  });
  t.equal(all.length, MAX_PAGES);
  t.same(cursors.slice(0, 3), [null, 'after-1', 'after-2']);
  t.equal(cursors.length, MAX_PAGES);
});
