import { gzipSync } from 'node:zlib';
import t from 'tap';
import { Database, HttpAddress } from '../../../kernel/contracts/index.ts';
import type { EmitEventBody } from './generated/emit-event.ts';
import { boot, STORES, tablesWith } from '../../../test/kit/index.ts';

const LIMIT = 2 * 1024 * 1024;

for (const store of STORES)
  t.test(store, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    const EVENTS = `${server.scoped}/events`;
    const emit = (body: EmitEventBody | Record<string, unknown>) => server.call('member', `POST ${EVENTS}`, body);
    const list = async (query = '') => (await server.call('viewer', `GET ${EVENTS}${query}`)).json;

    t.test('the body is counted after it was unpacked', async (t) => {
      const { json } = await server.call('owner', 'POST /api/v1/tokens', { name: 'raw' });
      const send = (body: Buffer, headers: Record<string, string>) =>
        fetch(`${server.use(HttpAddress).base_url()}${EVENTS}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${json.token}`, 'content-type': 'application/json', ...headers },
          body: new Uint8Array(body),
        });
      const body = (bytes: number) => {
        const empty = JSON.stringify({ type: 'big', payload: '' }).length;
        return Buffer.from(JSON.stringify({ type: 'big', payload: 'x'.repeat(bytes - empty) }));
      };
      const gzip = { 'content-encoding': 'gzip' };
      const statuses: [number, Buffer, Record<string, string>][] = [
        [201, body(LIMIT), {}],
        [413, body(LIMIT + 1), {}],
        [201, gzipSync(body(LIMIT)), gzip],
        [413, gzipSync(body(LIMIT + 1)), gzip],
        [413, gzipSync(Buffer.alloc(50 * LIMIT, 0x20)), gzip],
        [400, Buffer.from('{"type":"a","payload":"\\ud800"}'), {}],
        [400, Buffer.from(`{"type":"a","payload":${'['.repeat(100)}${']'.repeat(100)}}`), {}],
        [400, Buffer.from(''), {}],
        [400, Buffer.from([0x7b, 0xff, 0x7d]), {}],
        [415, Buffer.from('a=1'), { 'content-type': 'application/x-www-form-urlencoded' }],
        // Numbers are counted as they were sent: as a double, 1e20 is written with 21 digits.
        [201, Buffer.from(`{"type":"big","payload":[${'1e20,'.repeat(200_000)}0]}`), {}],
        [201, Buffer.from(`{"type":"nul","payload":"a\\u0000b","key":"ü \u{1f389}"}`), {}],
      ];
      for (const [status, sent, headers] of statuses) {
        const answer = await send(sent, headers);
        const text = await answer.text();
        t.equal(answer.status, status, `${JSON.stringify(sent.toString('latin1', 0, 60))}: ${text.slice(0, 200)}`);
      }
      t.same(
        (await list()).events.map(({ type, key }: { type: string; key: string | null }) => [type, key]),
        [
          ['nul', 'ü 🎉'],
          ['big', null],
          ['big', null],
          ['big', null],
        ],
      );
    });

    t.test('a repeated key is the first event, and is told apart from another project', async (t) => {
      const { json } = await server.call('owner', 'POST /api/v1/tokens', { name: 'keys' });
      const send = async (type: string, key: string, more: object = { payload: type }) => {
        const headers = { authorization: `Bearer ${json.token}`, 'content-type': 'application/json' };
        const answer = await fetch(`${server.use(HttpAddress).base_url()}${EVENTS}`, {
          method: 'POST',
          headers: { ...headers, 'idempotency-key': key },
          body: JSON.stringify({ type, ...more }),
        });
        return { status: answer.status, json: (await answer.json()) as { event: string; duplicate?: boolean } };
      };
      const first = await send('first', 'k');
      t.match(first, { status: 201 });
      t.notOk('duplicate' in first.json);
      const { event } = first.json;
      t.same(await send('first', 'k'), { status: 200, json: { event, duplicate: true } });
      const another = { status: 200, json: { event, duplicate: true, event_differs: true } };
      t.same(await send('second', 'k', { payload: 'first' }), another);
      t.same(await send('first', 'k', { payload: null }), another);
      t.same(await send('first', 'k', { payload: 'first', key: 'x' }), another);
      t.match((await send('third', 'K')).status, 201, 'byte by byte');
      t.equal((await send('x', 'k'.repeat(256))).status, 400);
    });

    t.test('pages hold every event once, newest first', async (t) => {
      for (let n = 0; n < 7; n++) await emit({ type: 'paged', key: n % 2 === 0 ? 'even' : 'odd', payload: n });
      const seen: string[] = [];
      for (let cursor = ''; ; ) {
        const page = await list(`?type=paged&limit=3${cursor}`);
        seen.push(...page.events.map(({ event }: { event: string }) => event));
        if (page.next_cursor === undefined) break;
        cursor = `&cursor=${page.next_cursor}`;
      }
      t.equal(new Set(seen).size, 7);
      t.same((await list('?key=even&limit=200')).events.length, 4);
      t.same((await list('?key=EVEN')).events, []);
      t.same((await list('?since=1h&source=hook')).events, []);
      t.ok((await list('?since=1h&type=paged')).events.length === 7);
      t.equal((await list('?type=paged&exclude=lifecycle&limit=200')).events.length, 7);
      t.same((await list('?type=paged&exclude=emit')).events, []);
      t.same((await list('?type=paged&exclude=lifecycle,emit')).events, [], 'several sources');
      const others = (await list('?exclude=emit&limit=200')).events.map((one: { source: string }) => one.source);
      t.notOk(others.includes('emit'), 'every other source');
      t.same((await list('?since=2999-01-01')).events, []);
      for (const query of [
        'cursor=x',
        'cursor=c2VxLTE',
        'since=soon',
        'source=me',
        'exclude=me',
        'exclude=emit,',
        'limit=0',
        'limit=201',
        'typ=a',
      ])
        t.equal((await server.call('viewer', `GET ${EVENTS}?${query}`)).status, 400, query);
    });

    t.test('the catalog goes on where its page ended', async (t) => {
      const types: string[] = [];
      for (let cursor = ''; ; ) {
        const { json } = await server.call('viewer', `GET ${server.scoped}/event-types?limit=4${cursor}`);
        types.push(...json.types.map(({ type }: { type: string }) => type));
        if (json.next_cursor === undefined) break;
        cursor = `&cursor=${json.next_cursor}`;
      }
      t.same(types, types.toSorted());
      t.equal(new Set(types).size, types.length);
      for (const type of ['big', 'paged', 'push', 'run.failed']) t.ok(types.includes(type), type);
      t.equal((await server.call('viewer', `GET ${server.scoped}/event-types?cursor=x`)).status, 400);
    });

    t.test('payloads are sealed, and emits are audited', async (t) => {
      const { json } = await emit({ type: 'sealed', payload: 'canary-0f3d5c' });
      t.same(await tablesWith(server.use(Database), 'canary-0f3d5c'), []);
      t.equal((await server.call('viewer', `GET ${EVENTS}/${json.event}`)).json.payload, 'canary-0f3d5c');
      const audit = (await server.call('admin', `GET ${server.scoped}/audit?limit=1`)).json.entries[0];
      t.match(audit, { action: 'event.emit', subject: json.event, detail: 'sealed' });
      t.equal((await server.call('viewer', `POST ${EVENTS}`, { type: 'a' })).status, 403);
      t.equal((await server.call('rival', `GET ${EVENTS}/${json.event}`)).status, 404);
      const foreign = EVENTS.replace('/acme/', '/rival/');
      t.equal((await server.call('rival', `GET ${foreign}/${json.event}`)).status, 404, 'an id of another project');
    });
  });
