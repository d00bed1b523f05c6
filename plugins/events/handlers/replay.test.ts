import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { boot, STORES, type TestServer } from '../../../test/kit/index.ts';
import { EventBus } from '../bus/contract.ts';
import { addCounts, readCounts } from './store/counts.ts';
import { checkHandlerInvariants } from './testing/invariants.ts';

t.setTimeout(600_000);

const OUTSIDE = {
  key: null,
  payload: null,
  generation: 0,
  refusable: false,
  source: 'hook',
  source_name: 'h',
} as const;

const emit = async (server: TestServer, trusted = true, over: object = {}): Promise<string> => {
  const { org_id, project_id } = server.scope;
  const event = { ...OUTSIDE, org_id, project_id, type: 'order.paid', trusted, ...over };
  return (await server.use(EventBus).emit(event)).event_id;
};

const set = (server: TestServer, name: string, body: object) =>
  server.call('member', `PUT ${server.scoped}/handlers/${name}`, { on: ['order.*'], source: 'true', ...body });

const replay = (server: TestServer, event: string, body: object, key?: string, role = 'member') =>
  server.call(
    role,
    `POST ${server.scoped}/events/${event}/replay`,
    body,
    key === undefined ? undefined : { 'idempotency-key': key },
  );

const shown = async (server: TestServer, event: string) =>
  (await server.call('viewer', `GET ${server.scoped}/events/${event}`)).json;

const run = async (server: TestServer, run_id: string) =>
  (await server.call('viewer', `GET ${server.scoped}/runs/${run_id}`)).json;

const lately = async (server: TestServer, name: string) =>
  (await server.call('viewer', `GET ${server.scoped}/handlers/${name}`)).json.lately;

for (const store of STORES)
  t.test(store, async (t) => {
    const server = await boot({ store, plugins: ['handlers'], access: 'project' });
    t.teardown(() => server.close());

    t.test('a replay is a further run, and a repeated request the same one', async (t) => {
      const early = await emit(server);
      await set(server, 'receipt', { when: 'event.payload == null' });
      const event = await emit(server, false, { generation: 2 });
      const first = await replay(server, event, { handler: 'receipt' }, 'k');
      t.equal(first.status, 201);
      t.match(first.json, { replay: /^rpl_/, event, handler: 'receipt', state: 'delivered', forced: false, by: /./ });
      const again = await replay(server, event, { handler: 'receipt' }, 'k');
      t.equal(again.status, 200);
      t.same(again.json, { ...first.json, duplicate: true });
      const second = await replay(server, event, { handler: 'receipt' });
      t.not(second.json.run_id, first.json.run_id);
      t.match(await run(server, first.json.run_id), {
        trusted: false,
        generation: 3,
        trigger: { event, handler: 'receipt', replay: first.json.replay },
      });
      const { deliveries, replays } = await shown(server, event);
      t.equal(deliveries.length, 1, 'the first delivery stays as it was');
      t.same(
        replays,
        [second.json, first.json].map(({ event: _event, ...one }) => one),
      );
      t.match(await replay(server, early, { handler: 'receipt' }), { status: 201 }, 'of before there was the handler');
      t.match(await lately(server, 'receipt'), { started: 4, failed: 0, queued: 0, since: /:00:00.000Z$/ });
      t.same(await checkHandlerInvariants(server.use(Database)), []);
      const audit = await server.call('admin', `GET ${server.scoped}/audit?action=event.replay`);
      t.equal(audit.json.entries.length, 3);
      t.match(audit.json.entries[2], { subject: event, detail: `receipt ${first.json.replay} delivered` });
      const rerun = await server.call('member', `POST ${server.scoped}/runs/${first.json.run_id}/cancel`, {});
      t.equal(rerun.status, 200);
      const { status } = await server.call('member', `POST ${server.scoped}/runs/${first.json.run_id}/rerun`, {});
      t.equal(status, 201, 'a run of a replay can be run again');
      t.same(await checkHandlerInvariants(server.use(Database)), []);
    });

    t.test('what a first delivery would decline or refuse starts nothing', async (t) => {
      await set(server, 'picky', { when: 'event.payload.total > 1' });
      const none = await emit(server, true, { payload: { total: 0 } });
      const declined = await replay(server, none, { handler: 'picky' });
      t.match(declined, { status: 200, json: { state: 'declined', reason: 'the predicate is false' } });
      t.notOk('run_id' in declined.json);
      const forced = await replay(server, none, { handler: 'picky', force: true });
      t.match(forced, { status: 201, json: { state: 'delivered', forced: true } });
      const broken = await emit(server);
      t.match((await replay(server, broken, { handler: 'picky' })).json, { state: 'declined', reason: /total/ });
      t.match(await lately(server, 'picky'), { started: 1, predicate_errors: 2 }, 'each event that it could not judge');
      const other = await emit(server, true, { type: 'other' });
      t.match((await replay(server, other, { handler: 'picky', force: true })).json, {
        state: 'declined',
        reason: 'no pattern of the handler matches the type other',
      });
      const deep = await emit(server, true, { generation: 5, payload: { total: 3 } });
      t.match((await replay(server, deep, { handler: 'picky' })).json, { state: 'refused', reason: /chain_too_deep/ });
      await server.call('admin', `PUT ${server.scoped}/credentials/bot`, { kind: 'bearer', token: 'tok-3-ab' });
      await set(server, 'keyed', { credentials: { TOKEN: 'bot' } });
      const strange = await emit(server, false);
      t.match((await replay(server, strange, { handler: 'keyed', force: true })).json, {
        state: 'refused',
        reason: /untrusted_run_declares_credential/,
      });
      t.equal((await replay(server, none, { handler: 'absent' })).status, 404);
      t.equal((await replay(server, `evt_${'0'.repeat(26)}`, { handler: 'picky' })).status, 404);
      t.equal((await replay(server, none, {})).status, 400);
      t.equal((await replay(server, none, { handler: 'picky' }, undefined, 'viewer')).status, 403);
    });

    t.test('there are as many places for replays as for all handler runs', async (t) => {
      const event = await emit(server, true, { payload: { total: 3 } });
      const state = async () => (await server.call('viewer', `GET ${server.scoped}/handlers`)).json;
      for (let n = (await state()).in_flight; n < 16; n++)
        t.equal((await replay(server, event, { handler: 'picky' })).status, 201);
      const refused = await replay(server, event, { handler: 'picky' }, 'later');
      t.match(refused, { status: 429, json: { code: 'handlers_in_flight' } });
      await emit(server, true, { payload: { total: 3 } });
      t.equal((await lately(server, 'picky')).queued, 1);
    });

    t.test('a made-up event is tried', async (t) => {
      const at = `POST ${server.scoped}/handlers/picky/test`;
      const tried = await server.call('member', at, {
        payload: { total: 2 },
        type: 'order.x',
        key: 'k',
        trusted: false,
      });
      t.match(tried.json, {
        handler: 'picky',
        type: 'order.x',
        pattern: 'order.*',
        trusted: false,
        when: { source: 'event.payload.total > 1', value: true },
        input: { type: 'order.x', key: 'k', trusted: false, payload: { total: 2 } },
      });
      t.notOk('event' in tried.json || 'run_id' in tried.json);
      t.match((await server.call('member', at, { payload: { total: 2 } })).json, { errors: [{ pointer: '/type' }] });
      t.match((await server.call('member', at, {})).json, { errors: [{ pointer: '/payload' }] });
      t.match((await server.call('member', at, { event: 'evt_1', payload: 1 })).json, {
        errors: [{ pointer: '/payload' }],
      });
      t.match((await server.call('member', at, { payload: 1, type: 'a b' })).json, { errors: [{ pointer: '/type' }] });
      await set(server, 'exact', { on: ['order.*', 'made.up'], input: { to: 'me' } });
      const exact = await server.call('member', `POST ${server.scoped}/handlers/exact/test`, { payload: null });
      t.match(exact.json, { type: 'made.up', pattern: 'made.up', input: { payload: null, input: { to: 'me' } } });
    });

    t.test('counts are of a day, and a removed handler takes its own along', async (t) => {
      const database = server.use(Database);
      const hour = 3_600_000;
      const start = 1_000 * 24 * hour;
      const count = (kind: 'started' | 'failed', at: number) =>
        database.transaction((tx) => addCounts(tx, server.scope, [{ name: 'clock', kind }], at));
      const read = async (at: number) => (await readCounts(database, server.scope, ['clock', 'none'], at)).get('clock');
      await count('started', start);
      await count('started', start + 1);
      await count('failed', start + hour);
      t.same(await read(start + hour), { started: 2, failed: 1, predicate_errors: 0, dropped: 0 });
      t.same(
        await read(start + 24 * hour),
        { started: 0, failed: 1, predicate_errors: 0, dropped: 0 },
        'an hour is a day old',
      );
      await count('started', start + 24 * hour);
      t.same(
        await read(start + 24 * hour),
        { started: 1, failed: 1, predicate_errors: 0, dropped: 0 },
        'its row is taken again',
      );
      const [rows] = await database.read<{ n: number }>(
        `SELECT COUNT(*) AS n FROM handlers_counts WHERE name = 'clock'`,
      );
      t.equal(Number(rows!.n), 2);
      await server.call('member', `DELETE ${server.scoped}/handlers/picky`);
      const [left] = await database.read<{ n: number }>(
        `SELECT COUNT(*) AS n FROM handlers_counts WHERE name = 'picky'`,
      );
      t.equal(Number(left!.n), 0);
    });
  });
