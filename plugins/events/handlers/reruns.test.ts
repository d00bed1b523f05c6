import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { boot, openTestDatabase, STORES, type TestServer } from '../../../test/kit/index.ts';
import { EventBus } from '../bus/contract.ts';
import { checkHandlerInvariants } from './testing/invariants.ts';

t.setTimeout(600_000);

const DONE = { key: null, payload: null, generation: 0, refusable: false } as const;

async function ok(server: TestServer, line: string, body: unknown = {}): Promise<{ json: Record<string, unknown> }> {
  const [method, path] = line.split(' ');
  const answer = await server.call('member', `${method} ${server.scoped}${path}`, body);
  if (answer.status >= 300) throw new Error(`${line}: ${answer.status} ${JSON.stringify(answer.json)}`);
  return answer as { json: Record<string, unknown> };
}

const loadOf = async (server: TestServer) => {
  const { json } = (await server.call('member', `GET ${server.scoped}/handlers`)) as { json: Record<string, unknown> };
  return [json.in_flight, json.queued];
};

/** A handler run that is over. */
async function ended(server: TestServer, trusted: boolean, type = 'solo'): Promise<string> {
  const { org_id, project_id } = server.scope;
  const from = { source: 'hook', source_name: 'h', trusted } as const;
  const { event_id } = await server.use(EventBus).emit({ org_id, project_id, type, ...DONE, ...from });
  const { json } = await server.call('member', `GET ${server.scoped}/events/${event_id}`);
  const { run_id } = (json as { deliveries: { run_id: string }[] }).deliveries[0]!;
  await ok(server, `POST /runs/${run_id}/cancel`);
  return run_id;
}

const rerun = (server: TestServer, run_id: string) =>
  server.call('member', `POST ${server.scoped}/runs/${run_id}/rerun`, {});
const idOf = ({ json }: { json: unknown }): string => (json as { run_id: string }).run_id;

// @store: places are counted by statements.
for (const store of STORES) {
  t.test(`${store}: reruns of handler runs take places of handler runs`, async (t) => {
    const server = await boot({ store, plugins: ['handlers'] });
    t.teardown(() => server.close());
    await ok(server, 'PUT /handlers/solo', { on: ['solo'], source: 'true' });
    for (let n = 0; n < 16; n++) await ok(server, `PUT /handlers/many-${n}`, { on: ['many'], source: 'true' });
    const first = await ended(server, true);
    t.same(await loadOf(server), [0, 0]);
    const again = await rerun(server, first);
    t.match(again, { status: 201, json: { status: 'queued' } });
    t.same(await loadOf(server), [1, 0]);
    t.match(await server.call('member', `POST ${server.scoped}/events`, { type: 'many' }), {
      status: 429,
      json: { code: 'handlers_in_flight', detail: /16 handler runs while 1 are in flight/ },
    });
    await server.call('member', `DELETE ${server.scoped}/handlers/many-15`);
    await ok(server, 'POST /events', { type: 'many' });
    t.same(await loadOf(server), [16, 0]);
    const refused = await rerun(server, first);
    t.match(refused, {
      status: 429,
      json: { code: 'handlers_in_flight', detail: /at most 16 handler runs in flight/ },
    });
    t.match(refused.headers.get('retry-after'), /^\d+$/);
    await ok(server, `POST /runs/${idOf(again)}/cancel`);
    t.same(await loadOf(server), [15, 0], 'the end of a rerun frees its place');
    t.match(await rerun(server, idOf(again)), { status: 201 }, 'a rerun of a rerun is one too');
    t.same(await loadOf(server), [16, 0]);
    t.same(await checkHandlerInvariants(server.use(Database)), []);
  });

  t.test(`${store}: untrusted ones take untrusted places, and runs of others none`, async (t) => {
    const server = await boot({ store, plugins: ['handlers'] });
    t.teardown(() => server.close());
    await ok(server, 'PUT /handlers/solo', { on: ['solo'], source: 'true' });
    const first = await ended(server, false);
    for (let n = 0; n < 4; n++) t.match(await rerun(server, first), { status: 201 });
    t.match(await rerun(server, first), {
      status: 429,
      json: { detail: /at most 4 untrusted handler runs in flight/ },
    });
    t.match(await rerun(server, await ended(server, true)), { status: 201 }, 'others have places left');
    t.same(await loadOf(server), [5, 0]);
    const { json } = await ok(server, 'POST /runs', { source: 'true' });
    await ok(server, `POST /runs/${idOf({ json })}/cancel`);
    t.match(await rerun(server, idOf({ json })), { status: 201 });
    t.same(await loadOf(server), [5, 0], 'what no event has started needs no place');
    t.same(await checkHandlerInvariants(server.use(Database)), []);
  });

  t.test(`${store}: two servers give away no place twice`, async (t) => {
    const database = await openTestDatabase(store);
    const servers = [await boot({ database, plugins: ['handlers'] }), await boot({ database, plugins: ['handlers'] })];
    t.teardown(async () => {
      for (const server of servers) await server.close();
      await database.drop();
    });
    const [one] = servers as [TestServer];
    // Of different runs and documents: those of one wait for each other anyway.
    const firsts: string[] = [];
    for (let n = 0; n < 8; n++) {
      await ok(one, `PUT /handlers/solo-${n}`, { on: [`solo-${n}`], source: `echo ${n}` });
      firsts.push(await ended(one, false, `solo-${n}`));
    }
    const answers = await Promise.all(firsts.map((first, n) => rerun(servers[n % 2]!, first)));
    t.same(answers.map(({ status }) => status).sort(), [201, 201, 201, 201, 429, 429, 429, 429]);
    t.same(await loadOf(one), [4, 0]);
    t.same(await checkHandlerInvariants(one.use(Database)), []);
  });
}
