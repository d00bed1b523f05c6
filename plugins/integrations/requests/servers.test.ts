import type { ServerResponse } from 'node:http';
import t from 'tap';
import { openTestDatabase, STORES, until } from '../../../test/kit/index.ts';
import { Scopes } from '../../security/access/contract.ts';
import { http, RequestServer } from './testing/request-server.ts';
import { send } from '../../../features/support/far-end.ts';

t.setTimeout(600_000);

// @store: requests are claimed by one server.
for (const store of STORES)
  t.test(`servers on ${store}`, { timeout: 600_000 }, async (t) => {
    const database = await openTestDatabase(store);
    t.teardown(() => database.drop());

    t.test('a server that stops ends its requests, and another one sends them again', async (t) => {
      const first = await RequestServer.open(store, { database, env: { SVC_DRAIN_GRACE: '0ms' } });
      first.answering(() => undefined);
      const url = first.far.url('/x');
      const run_id = await first.submit([http({ url, method: 'POST', body: 1 })]);
      await until(() => first.far.seen.length === 1);
      await first.server.close();
      first.far.reply = (_seen, response) => send(response, 200, {}, 'done');
      const second = await RequestServer.open(store, { database });
      t.teardown(() => second.close());
      t.match(await second.over(run_id), { status: 'succeeded', output: { body: 'done' } });
      t.equal(first.far.seen.length, 2);
      t.equal(first.far.seen[0]!.headers['idempotency-key'], first.far.seen[1]!.headers['idempotency-key']);
      await first.far.close();
    });

    t.test('slow requests of one org leave places for the others', async (t) => {
      const first = await RequestServer.open(store, { database });
      await first.close();
      // A server that starts with two orgs in its database.
      const one = await RequestServer.open(store, { database, env: { SVC_SERVER_HTTP: '4' } });
      t.teardown(() => one.close());
      const open: ServerResponse[] = [];
      one.answering((seen, response) =>
        seen.path === '/fast' ? send(response, 200, {}, 'done') : open.push(response),
      );
      const slow = http({ url: one.far.url('/slow') }, { fan_out: { items: [1, 2, 3, 4, 5, 6], concurrency: 6 } });
      const stalled = await one.submit([slow]);
      await until(() => open.length === 2);
      const rival = (await one.server.use(Scopes).findProject('rival', 'web'))!;
      const fast = await one.submit([http({ url: one.far.url('/fast') })], { scope: rival });
      t.match(await one.over(fast, rival), { status: 'succeeded', output: { body: 'done' } });
      t.equal(open.length, 2, 'half of them');
      for (let answered = 0; answered < 6; answered += 1) {
        await until(() => open.length > 0);
        send(open.shift()!, 200);
      }
      t.match(await one.over(stalled), { status: 'succeeded' }, 'and each free place is used again at once');
    });

    t.test('more requests than places wait, and none is lost', async (t) => {
      const one = await RequestServer.open(store, { database, env: { SVC_SERVER_HTTP: '4' } });
      t.teardown(() => one.close());
      const open: ServerResponse[] = [];
      let most = 0;
      // An org uses half of them. Answered two at a time, so that both places are used however slow the store is; a third would come meanwhile.
      one.answering((_seen, response) => {
        most = Math.max(most, open.push(response));
        const answer = () => {
          for (const held of open.splice(0)) send(held, 200);
        };
        if (open.length === 2) setTimeout(answer, 5);
      });
      const node = http(
        { url: one.far.url() },
        { fan_out: { items: Array.from({ length: 40 }, (_, n) => n), concurrency: 20 } },
      );
      t.equal((await one.run([node])).status, 'succeeded');
      t.equal(one.far.seen.length, 40);
      t.equal(most, 2);
    });

    t.test('turned off, requests wait for an agent', async (t) => {
      const off = await RequestServer.open(store, { database, env: { SVC_SERVER_HTTP: 'off' } });
      const run_id = await off.submit([http({ url: off.far.url() })]);
      t.equal((await off.read(run_id)).status, 'queued');
      await off.close();
      const on = await RequestServer.open(store, { database });
      t.teardown(() => on.close());
      t.match(await on.over(run_id), { status: 'failed', error: { code: 'egress_failed' } }, 'its far end is closed');
    });
  });
