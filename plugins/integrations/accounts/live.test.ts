import t from 'tap';
import { STORES } from '../../../test/kit/index.ts';
import { LiveStream } from '../../../test/support/live-stream.ts';
import { openWorld, PLUGINS } from './testing/world.ts';

for (const store of STORES)
  t.test(
    `${store}: who looks is told of accounts as they change, and the summary names those that need somebody`,
    async (t) => {
      const world = await openWorld(t, store, { plugins: [...PLUGINS, 'summary'] });
      const { server, call } = world;
      const tokenOf = async (user: string): Promise<string> =>
        (await call('owner', 'POST /api/v1/tokens', { name: 'page', org: 'acme', user })).json.token;
      const live = `${server.url}${server.scoped}/live?topics=accounts`;
      const stream = await new LiveStream(live, { token: await tokenOf('member1') }).ready();
      t.teardown(() => stream.cut());
      const told = () => stream.of('account').map(({ data }) => `${data.name} ${data.status}`);
      const needy = async () => (await call('member', 'GET {scoped}/summary')).json.attention;

      await world.connect('mail');
      await stream.until(() => told().includes('mail active'));
      t.same(await needy(), []);
      const since = performance.now();
      await call('admin', 'POST {scoped}/accounts/mail/disable');
      await stream.until(() => told().at(-1) === 'mail disabled');
      t.ok(stream.messages.at(-1)!.at - since < 10_000, 'before the next sign of life of the stream');
      server.clock.advance(10_000);
      t.match(await needy(), [{ kind: 'account', name: 'mail', state: 'disabled', detail: /\w/ }]);
      await call('admin', 'DELETE {scoped}/accounts/mail');
      await stream.until(() => told().at(-1) === 'mail removed');
      server.clock.advance(10_000);
      t.same(await needy(), []);
      t.same(told(), ['mail active', 'mail disabled', 'mail removed']);

      t.equal((await call('viewer', 'GET {scoped}/live?topics=accounts')).status, 403, 'as for the list');
      t.equal((await call('viewer', 'GET {scoped}/live?topics=runs,accounts')).status, 403);
      t.notOk('attention' in (await call('viewer', 'GET {scoped}/summary')).json);

      // A role that was taken away ends what needs it.
      await call('owner', 'PUT {scoped}/members/member1', { role: 'viewer' });
      await stream.until(() => stream.ended, 10_000);
      t.match(stream.messages.at(-1), { event: 'end', data: { code: 'forbidden' } });
    },
  );
