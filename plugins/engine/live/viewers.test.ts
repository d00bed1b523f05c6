import t from 'tap';
import { AccessControl, Database, type Replacement } from '../../../kernel/contracts/index.ts';
import { LiveTopics } from './contract.ts';
import { LiveServer } from './testing/live-server.ts';
import { LiveStream } from '../../../test/support/live-stream.ts';
import { boot, SCOPE, STORES, testPlugin, until } from '../../../test/kit/index.ts';

/** Each token is a person of its own, who may look. */
const anybody: Replacement = [
  AccessControl,
  () => ({
    authenticate: async (header: string | undefined) => {
      const name = header?.replace('Bearer ', '') ?? '';
      return { kind: 'user' as const, id: `usr_${name}`, name, token_id: `tok_${name}`, org_id: null };
    },
    authorize: async () => SCOPE,
  }),
];

const VIEWERS = 1000;
t.setTimeout(600_000);

for (const store of STORES)
  t.test(`${store}: ${VIEWERS} viewers cost the database what one costs`, async (t) => {
    const live = await LiveServer.open({ store, replace: [anybody] });
    t.teardown(() => live.close());
    const database = live.server.use(Database);
    // Every statement of this process goes through here.
    let reads = 0;
    const { read } = database;
    database.read = (...args: Parameters<typeof read>) => {
      reads += 1;
      return read.apply(database, args) as never;
    };
    const spent = async (work: () => Promise<unknown>): Promise<number> => {
      const before = reads;
      await work();
      return reads - before;
    };
    const first = await live.ready('runs,events', { token: 'p0' });
    const lone = await spent(async () => {
      for (let n = 0; n < 20; n++) await live.submit();
      await first.until(() => first.of('run').length >= 20 && first.of('event').length >= 20);
    });
    const joining = await spent(async () => {
      for (let n = 1; n < VIEWERS; n += 50)
        await Promise.all(
          Array.from({ length: Math.min(50, VIEWERS - n) }, (_, i) =>
            live.ready('runs,events', { token: `p${(n + i) % 20}` }),
          ),
        );
    });
    // Only what the one reader polls meanwhile.
    t.ok(joining < VIEWERS - 1, `${joining} reads while ${VIEWERS - 1} joined`);
    t.ok(lone < 2000);
    const many = await spent(async () => {
      for (let n = 0; n < 20; n++) await live.submit();
      await until(() => live.streams.every((stream) => stream.of('run').length >= (stream === first ? 40 : 20)));
    });
    t.comment(`${store}: ${lone} reads for one viewer, ${many} for ${VIEWERS}, ${joining} while they joined`);
    t.ok(many < lone * 2 + VIEWERS / 2, `${many} reads for ${VIEWERS} viewers, ${lone} for one`);
  });

for (const store of STORES)
  t.test(
    `${store}: a token that is revoked, and a member that is removed, end their streams within ten seconds`,
    async (t) => {
      const server = await boot({ store, access: 'project', plugins: ['access', 'bus', 'live'] });
      t.teardown(() => server.close());
      const made = await server.call('owner', 'POST /api/v1/tokens', { name: 'page', org: 'acme', user: 'viewer1' });
      const other = await server.call('owner', 'POST /api/v1/tokens', { name: 'other', org: 'acme', user: 'member1' });
      const open = (token: string) =>
        new LiveStream(`${server.url}${server.scoped}/live?topics=runs`, { token }).ready();
      const [page, stays, leaves] = await Promise.all([
        open(made.json.token),
        open(other.json.token),
        open(
          (await server.call('owner', 'POST /api/v1/tokens', { name: 'x', org: 'acme', user: 'admin1' })).json.token,
        ),
      ]);
      t.teardown(() => stays.cut());
      const since = performance.now();
      t.equal((await server.call('owner', `DELETE /api/v1/tokens/${made.json.id}`)).status, 204);
      t.equal((await server.call('owner', `DELETE ${server.scoped}/members/admin1`)).status, 204);
      await until(() => page.ended && leaves.ended, { within_ms: 10_000 });
      t.comment(`${store}: ended after ${Math.round(performance.now() - since)} ms`);
      t.match(page.messages.at(-1), { event: 'end', data: { code: 'not_authenticated' } });
      t.match(leaves.messages.at(-1), { event: 'end', data: { code: 'not_found' } });
      t.notOk(stays.ended);
    },
  );

t.test('a browser that does not read is cut, and the server keeps little for it', async (t) => {
  let send: (text: string) => void = () => {};
  const loud = testPlugin(
    'loud',
    (plugin) =>
      plugin.contribute(LiveTopics, () => ({
        name: 'noise',
        description: 'noise',
        access: { kind: 'project', role: 'viewer' } as const,
        async open(_scope, _argument, feed) {
          send = (data) => feed.send([{ event: 'noise', data }]);
          return async () => {};
        },
      })),
    { requires: ['live'] },
  );
  const live = await LiveServer.open({ plugins: [loud] });
  t.teardown(() => live.close());
  const deaf = live.stream('noise', { deaf: true });
  const fine = await live.ready('noise');
  await until(() => deaf.status === 200);
  const before = process.memoryUsage().rss;
  const text = 'x'.repeat(16 * 1024);
  // More than sockets hold on both sides, and the ring behind them.
  for (let n = 0; n < 2000; n++) {
    send(text);
    if (n % 20 === 0) await until(() => fine.of('noise').length > n - 40);
  }
  await until(() => fine.of('noise').length === 2000);
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  t.comment(`${Math.round(grown)} MiB more, of which this process's own reader holds 32`);
  const open = async () =>
    /^svc_live_streams (\d+)$/m.exec((await live.server.call(undefined, 'GET /metrics')).text)?.[1];
  await until(async () => (await open()) === '1', { within_ms: 20_000, what: 'the cut' });
  t.notOk(fine.ended, 'the other one is still there');
});
