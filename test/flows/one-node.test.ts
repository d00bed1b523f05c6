import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { Database } from '../../kernel/contracts/index.ts';
import { boot, type TestServer } from '../kit/index.ts';

t.setTimeout(600_000);

/** Commits of this process while `work` is done, with those that follow it at once. */
async function commits(server: TestServer, work: () => Promise<unknown>): Promise<number> {
  const database = server.use(Database);
  const [transaction, write] = [database.transaction.bind(database), database.write.bind(database)];
  let count = 0;
  Object.assign(database, {
    transaction: (...args: Parameters<typeof transaction>) => {
      count += 1;
      return transaction(...args);
    },
    write: (...args: Parameters<typeof write>) => {
      count += 1;
      return write(...args);
    },
  });
  try {
    await work();
    await new Promise((resolve) => setTimeout(resolve, 300));
    return count;
  } finally {
    Object.assign(database, { transaction, write });
  }
}

t.test('a run of one node that needs no agent costs few commits, its announcements included', async (t) => {
  const far_end = createServer((_request, response) => response.end('{"ok":true}')).listen(0, '127.0.0.1');
  await once(far_end, 'listening');
  const { port } = far_end.address() as AddressInfo;
  const server = await boot({ access: 'project', env: { SVC_EGRESS_ALLOW: '127.0.0.1', SVC_RUN_SEARCH: 'off' } });
  t.teardown(async () => {
    await server.close();
    far_end.close();
  });
  const run = async (node: string, config: object) => {
    const { json } = await server.call('member', `POST ${server.scoped}/runs?wait=1m`, { node, config });
    t.match(json, { status: 'succeeded' }, node);
  };
  const set = () => run('set', { values: { a: 1 } });
  const http = () => run('http', { url: `http://127.0.0.1:${port}/` });
  await set();
  await http();
  t.equal(await commits(server, set), 1, 'made, done and ended in one transaction');
  t.ok((await commits(server, http)) <= 3, 'made, asked, ended');
  const { json } = await server.call('member', `GET ${server.scoped}/events?limit=6`);
  const types = json.events.map(({ type }: { type: string }) => type);
  t.same(types.slice(3), ['run.succeeded', 'run.started', 'manual'], 'all of it is announced, in order');

  t.test('a handler run that is over at once takes no place among those in flight', async (t) => {
    const handler = { on: ['go'], node: 'set', config: { values: { $expr: 'input.payload' } } };
    t.equal((await server.call('member', `PUT ${server.scoped}/handlers/instant`, handler)).status, 201);
    for (let n = 0; n < 40; n++)
      t.equal((await server.call('member', `POST ${server.scoped}/events`, { type: 'go', payload: n })).status, 201);
    t.match((await server.call('viewer', `GET ${server.scoped}/handlers`)).json, { in_flight: 0, queued: 0 });
    const { runs } = (await server.call('viewer', `GET ${server.scoped}/runs?limit=200&status=succeeded`)).json;
    t.equal(runs.filter(({ trigger }: { trigger: { type: string } }) => trigger.type === 'go').length, 40);
  });
});
