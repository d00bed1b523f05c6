import t from 'tap';
import { Database, Sealer } from '../../../kernel/contracts/index.ts';
import { bootEngine, countWork, STORES, StandInAgent } from '../../../test/kit/index.ts';
import { BusProject, type BusServer, openServers } from './testing/bus-server.ts';

t.setTimeout(600_000);

const LARGE = 'x'.repeat(1_900_000);
const opened = (opens: readonly string[]) => opens.filter((name) => name === 'bus_events.body').length;

for (const store of STORES) {
  t.test(`${store}: an event that ends many waits is read once`, async (t) => {
    const fixture = await openServers(store, 1);
    t.teardown(() => fixture.close());
    const [server] = fixture.servers as [BusServer];
    const project = new BusProject(server);
    for (let n = 0; n < 7; n++) await project.waiting('large');
    await project.emit('large', { payload: LARGE });
    const count = countWork(server.database, server.use(Sealer));
    const { result, work } = await count(() => server.deliver());
    t.equal(result, 7);
    t.ok(work.transactions > 3, 'their results do not fit into one transaction');
    t.equal(opened(work.opens), 1);
  });

  t.test(`${store}: an event that starts many runs is read once for all that are claimed together`, async (t) => {
    const server = await bootEngine({ store, plugins: ['handlers'] });
    t.teardown(() => server.close());
    for (let n = 0; n < 9; n++)
      await server.call('member', `PUT ${server.scoped}/handlers/h-${n}`, { on: ['large'], source: `echo ${n}` });
    const { status } = await server.call('member', `POST ${server.scoped}/events`, { type: 'large', payload: LARGE });
    t.equal(status, 201);
    const agent = new StandInAgent(server.use);
    const count = countWork(server.use(Database), server.use(Sealer));
    const { result, work } = await count(() => agent.claim(9));
    t.equal(result.length, 9);
    for (const { envelope } of result) t.equal((envelope as { payload?: string }).payload?.length, LARGE.length);
    t.equal(opened(work.opens), 1);
  });
}
