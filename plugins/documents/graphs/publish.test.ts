import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { STORES, testPlugin, until } from '../../../test/kit/index.ts';
import { EventBus } from '../../events/bus/contract.ts';
import { type SourceState, CredentialSources } from '../../secrets/credentials/contract.ts';
import type { Json } from '../../engine/runs/contract.ts';
import { expr, createGraph, GraphServer, node, set } from './testing/graph-server.ts';

t.setTimeout(600_000);

for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const graphs = await GraphServer.openFor(t, { store });

    const emit = (type: string, payload: Json) =>
      graphs.server.use(EventBus).emit({
        org_id: graphs.server.scope.org_id,
        project_id: graphs.server.scope.project_id,
        type,
        payload,
        key: null,
        source: 'emit',
        source_name: '',
        generation: 0,
        trusted: true,
        refusable: true,
      });
    /** The run that an event has started for a handler. */
    async function runOf(event_id: string, handler: string) {
      const { json } = await graphs.call(`GET /events/${event_id}`);
      const delivery = json.deliveries.find(({ name }: { name: string }) => name === handler);
      return until(async () => {
        const run = await graphs.read(delivery.run_id);
        return run.status === 'succeeded' && run;
      });
    }

    const triggers = [
      node('hook', 'trigger.webhook', { when: 'event.payload.body.a < 3' }),
      node('ev', 'trigger.event', { on: 'order.*', when: 'event.payload.n > 3' }),
      node('tick', 'trigger.schedule', { cron: '0 3 * * *' }),
    ];
    const document = createGraph(
      [...triggers, set('all', expr('[input.type, run.fired]')), set('ev_only', expr('nodes.ev.output.payload.n'))],
      'hook>all ev>all tick>all ev>ev_only',
    );

    t.test('a trigger starts the published version, and only its node runs', async (t) => {
      await graphs.call('PUT /graphs/shop', document);
      const published = await graphs.call('POST /graphs/shop/publish', {});
      t.match(published, {
        status: 200,
        json: {
          published_version: 1,
          triggers: [
            {
              node_id: 'hook',
              hook: 'graph.shop.hook',
              handler: 'graph.shop.hook',
              on: ['graph.shop.hook.received'],
              secret: String,
            },
            { node_id: 'ev', handler: 'graph.shop.ev', on: ['order.*'] },
            { node_id: 'tick', schedule: 'graph.shop.tick', next_due: String },
          ],
        },
      });
      const { event_id } = await emit('order.made', { n: 4 });
      const run = await runOf(event_id, 'graph.shop.ev');
      t.match(run, { workflow: 'shop', output: { all: ['order.made', ['ev']], ev_only: 4 } });
      t.equal(
        await graphs.states(run.run_id),
        'hook:skipped ev:succeeded tick:skipped all:succeeded ev_only:succeeded',
      );
      const declined = await emit('order.made', { n: 1 });
      t.match((await graphs.call(`GET /events/${declined.event_id}`)).json.deliveries, [{ state: 'declined' }]);

      const [{ ingest_url, secret }] = published.json.triggers;
      const deliver = async (body: string) => {
        const delivered = await fetch(new URL(new URL(ingest_url).pathname, graphs.server.url), {
          method: 'POST',
          headers: { 'x-svc-hook-secret': secret, 'content-type': 'application/json' },
          body,
        });
        return ((await delivered.json()) as { event_id: string }).event_id;
      };
      const by_hook = await runOf(await deliver('{"a":1}'), 'graph.shop.hook');
      t.match(by_hook, { output: { all: ['graph.shop.hook.received', ['hook']] } });
      const too_large = (await graphs.call(`GET /events/${await deliver('{"a":3}')}`)).json;
      t.match(too_large.deliveries, [{ name: 'graph.shop.hook', state: 'declined' }]);

      await graphs.call('PUT /graphs/shop', { ...document, tags: ['v2'] });
      const old = await runOf((await emit('order.made', { n: 5 })).event_id, 'graph.shop.ev');
      t.same(old.tags, [], 'the published version');
      const { json } = await graphs.call('POST /runs', {
        graph: 'shop',
        input: { type: 'by hand', payload: { n: 1 } },
      });
      const manual = await graphs.read(json.run_id);
      t.match(manual, { tags: ['v2'], output: { all: ['by hand', ['hook', 'ev', 'tick']], ev_only: 1 } });
      const pinned = await graphs.call('POST /runs', { graph: 'shop@1', input: { type: 'x', payload: { n: 1 } } });
      t.same((await graphs.read(pinned.json.run_id)).tags, []);
    });

    t.test('publishing again changes what is registered, and removes what is gone', async (t) => {
      const again = createGraph(
        [node('ev', 'trigger.event', { on: ['paid'] }), node('start', 'trigger.manual'), set('s', expr('run.fired'))],
        'ev>s start>s',
      );
      await graphs.call('PUT /graphs/shop', again);
      t.match((await graphs.call('POST /graphs/shop/publish', {})).json, {
        published_version: 3,
        triggers: [{ node_id: 'ev', on: ['paid'] }, { node_id: 'start' }],
      });
      t.match((await graphs.call('GET /handlers/graph.shop.ev')).json, {
        on: ['paid'],
        owner: 'graph:shop',
        graph: 'shop@3',
      });
      t.match(await graphs.call('GET /handlers/graph.shop.hook'), { status: 404 });
      t.match(await graphs.call('GET /event-hooks/graph.shop.hook'), { status: 404 });
      t.match(await graphs.call('GET /schedules/graph.shop.tick'), { status: 404 });
      t.match(await runOf((await emit('paid', 1)).event_id, 'graph.shop.ev'), { output: ['ev'] });
      const { json } = await graphs.call('POST /runs', { graph: 'shop' });
      t.same((await graphs.read(json.run_id)).output, ['start']);
      t.match((await graphs.call('POST /graphs/shop/publish', { version_number: 1 })).json, { published_version: 1 });
      t.match(await graphs.call('POST /graphs/shop/publish', { version_number: 9 }), { status: 404 });
    });

    t.test('a node that becomes another trigger leaves nothing behind', async (t) => {
      await graphs.call('PUT /graphs/turned', createGraph([node('n', 'trigger.event', { on: ['turn'] })]));
      await graphs.call('POST /graphs/turned/publish', {});
      await graphs.call('PUT /graphs/turned', createGraph([node('n', 'trigger.schedule', { cron: '0 3 * * *' })]));
      await graphs.call('POST /graphs/turned/publish', {});
      t.match(await graphs.call('GET /handlers/graph.turned.n'), { status: 404 });
      t.match(await graphs.call('GET /schedules/graph.turned.n'), { status: 200 });
      await graphs.call('PUT /graphs/turned', createGraph([node('n', 'trigger.webhook')]));
      await graphs.call('POST /graphs/turned/publish', {});
      t.match(await graphs.call('GET /schedules/graph.turned.n'), { status: 404 });
      t.match(await graphs.call('DELETE /graphs/turned'), { status: 204 });
      t.match(await graphs.call('GET /event-hooks/graph.turned.n'), { status: 404 });
    });

    t.test('what a graph owns is not changed by hand', async (t) => {
      for (const [path, code] of [
        ['handlers/graph.shop.ev', 'handler_owned'],
        ['schedules/graph.shop.tick', 'schedule_owned'],
        ['event-hooks/graph.shop.hook', 'hook_owned'],
      ] as const) {
        t.match(await graphs.call(`DELETE /${path}`), { status: 409, json: { code } });
        t.match(await graphs.call(`GET /${path}`), { json: { owner: 'graph:shop' } });
      }
      t.match(await graphs.call('PUT /handlers/graph.shop.ev', { on: ['a'], source: 'true' }), {
        status: 400,
        json: { errors: [{ pointer: '/path/handler' }] },
      });
    });

    t.test('unpublish and removal take everything with them', async (t) => {
      t.match(await graphs.call('POST /graphs/shop/unpublish'), {
        status: 200,
        json: { name: 'shop', version_number: 3 },
      });
      t.notOk('published_version' in (await graphs.call('GET /graphs/shop')).json);
      for (const path of ['handlers/graph.shop.ev', 'schedules/graph.shop.tick', 'event-hooks/graph.shop.hook'])
        t.match(await graphs.call(`GET /${path}`), { status: 404 });
      await graphs.call('POST /graphs/shop/publish', {});
      t.match(await graphs.call('DELETE /graphs/shop'), { status: 204 });
      t.match(await graphs.call('GET /handlers/graph.shop.ev'), { status: 404 });
      t.match(await graphs.call('POST /runs', { graph: 'shop' }), { status: 404 });
      t.match(await graphs.call('DELETE /graphs/shop'), { status: 404 });
    });

    t.test('signed deliveries: the key is the value of a credential', async (t) => {
      await graphs.call('PUT /credentials/hook-key', {
        kind: 'bearer',
        token: `whsec_${Buffer.from('k'.repeat(24)).toString('base64')}`,
      });
      const signed = createGraph([
        node('hook', 'trigger.webhook', { verification: { manifest: 'standard_webhooks', credential: 'hook-key' } }),
      ]);
      await graphs.call('PUT /graphs/signed', signed);
      const { status, json } = await graphs.call('POST /graphs/signed/publish', {});
      t.equal(status, 200);
      t.notOk('secret' in json.triggers[0]);
      t.match((await graphs.call('GET /event-hooks/graph.signed.hook')).json, { mode: 'manifest' });
      t.match((await graphs.call('GET /credentials/hook-key/uses')).json.uses, [
        { kind: 'graph', name: 'signed', detail: 'node hook' },
      ]);
      await graphs.call('DELETE /credentials/hook-key');
      t.match(await graphs.call('POST /graphs/signed/publish', {}), {
        status: 422,
        json: { code: 'credential_missing' },
      });
    });

    t.test('versions', async (t) => {
      for (const n of [1, 2, 2, 3]) await graphs.call('PUT /graphs/v', createGraph([set('a', n)]));
      t.match((await graphs.call('GET /graphs/v/versions?limit=2')).json, {
        versions: [{ version_number: 3, published: false }, { version_number: 2 }],
        next_cursor: String,
      });
      const { next_cursor } = (await graphs.call('GET /graphs/v/versions?limit=2')).json;
      t.match((await graphs.call(`GET /graphs/v/versions?limit=2&cursor=${next_cursor}`)).json, {
        versions: [{ version_number: 1 }],
      });
      t.match((await graphs.call('GET /graphs/v?version=1')).json, {
        document: { nodes: [{ config: { values: 1 } }] },
      });
      t.match(await graphs.call('GET /graphs/v?version=7'), { status: 404 });
      t.match((await graphs.call('GET /graphs')).json.graphs[0], { name: 'v', version_number: 3, nodes: 1 });
      t.match(await graphs.call('PUT /graphs/v', createGraph([set('a')]), 'viewer'), { status: 403 });
    });

    t.test('credentials: warned of at the save, refused at the submit, wrong kinds refused at the save', async (t) => {
      await graphs.call(
        'PUT /graphs/c',
        createGraph([node('sh', 'shell', { script: 'true', credentials: { T: 'later' } })]),
      );
      t.match((await graphs.call('GET /graphs/c/requirements')).json, {
        ready: false,
        credentials: [{ node_id: 'sh', name: 'later', state: 'missing' }],
      });
      t.match(await graphs.call('POST /runs', { graph: 'c' }), {
        status: 422,
        json: { code: 'credential_missing', errors: [{ message: /node sh names the credential later/ }] },
      });
      await graphs.call('PUT /credentials/later', { kind: 'bearer', token: 'secret-token' });
      t.match((await graphs.call('GET /graphs/c/requirements')).json, { ready: true, credentials: [{ state: 'ok' }] });
      t.match(await graphs.call('POST /runs', { graph: 'c' }), { status: 201 });
      for (const { activity_id, epoch } of await graphs.claim()) await graphs.end({ activity_id, epoch } as never);
    });
  });

/** Stands for connected accounts: `both` is also a credential, `gone` must be connected again. */
const accounts = testPlugin(
  'stand-in-accounts',
  (plugin) =>
    plugin.contribute(CredentialSources, () => ({
      source: 'account' as const,
      states: async (_on: unknown, _scope: unknown, names: readonly string[]) =>
        new Map(
          names.flatMap((name): [string, SourceState][] =>
            name === 'both' || name === 'mine'
              ? [[name, { state: 'ok', kind: 'bearer' }]]
              : name === 'gone'
                ? [[name, { state: 'needs_reconnect' }]]
                : [],
          ),
        ),
      fields: async () => undefined,
    })),
  { requires: ['credentials'] },
);

t.test('the report knows all five states, and what resolves to nothing is refused', async (t) => {
  const graphs = await GraphServer.open({ plugins: [accounts] });
  t.teardown(() => graphs.close());
  await graphs.server.use(Database).write(
    `INSERT INTO credentials_credentials (project_id, name, org_id, credential_id, kind, fields, set_at)
     VALUES (?, 'both', ?, 'crd_1', 'bearer', ?, 0)`,
    [graphs.server.scope.project_id, graphs.server.scope.org_id, Buffer.from('{}')],
  );
  const use = (id: string, name: string) => node(id, 'shell', { script: 'true', credentials: { T: name } });
  const saved = await graphs.call(
    'PUT /graphs/g',
    createGraph([use('a', 'mine'), use('b', 'none'), use('c', 'both'), use('d', 'gone')]),
  );
  t.match(saved.json.warnings, [
    /node b/,
    /node c names both, which is the name of a credential and of a connected account/,
    /node d/,
  ]);
  t.same((await graphs.call('GET /graphs/g/requirements')).json, {
    kinds: {},
    ready: false,
    credentials: [
      { node_id: 'a', name: 'mine', state: 'ok' },
      { node_id: 'b', name: 'none', state: 'missing' },
      { node_id: 'c', name: 'both', state: 'conflict' },
      { node_id: 'd', name: 'gone', state: 'needs_reconnect' },
    ],
  });
  await graphs.call('PUT /graphs/h', createGraph([use('c', 'both')]));
  t.match(await graphs.call('POST /runs', { graph: 'h' }), { status: 409, json: { code: 'credential_conflict' } });
  await graphs.call('PUT /graphs/i', createGraph([use('d', 'gone')]));
  t.match(await graphs.call('POST /runs', { graph: 'i' }), { status: 201 }, 'the node fails when it begins');
});
