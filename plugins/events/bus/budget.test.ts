import t from 'tap';
import { costly, STORES, watchPredicates } from '../../../test/kit/index.ts';
import { checkBusInvariants } from './testing/invariants.ts';
import { BusProject, type BusServer, openServers } from './testing/bus-server.ts';

t.setTimeout(600_000);

const WAITS = 20;
const CUT = /^event_budget_spent: the predicate was not evaluated/;

for (const store of STORES)
  t.test(`${store}: waits with costly predicates share the budget of the event`, async (t) => {
    const fixture = await openServers(store, 1);
    t.teardown(() => fixture.close());
    const [server] = fixture.servers as [BusServer];
    const watched = watchPredicates(server.use);
    const project = new BusProject(server);
    for (let n = 0; n < WAITS; n++) await project.waiting('plain', {}, { when: costly(n) });
    const cheap = await project.waiting('plain', {}, { when: 'event.payload == 1' });
    const event = await project.emit('plain', { payload: 1 });
    const { deliveries } = await server.views.read(project.scope, event);
    const cut = deliveries.filter(({ state, reason }) => state === 'declined' && CUT.test(reason ?? ''));
    const fired = deliveries.filter(({ state }) => state === 'queued');
    t.equal(cut.length + fired.length, WAITS + 1);
    t.ok(cut.length >= 10 && fired.length >= 4, `${cut.length} cut, ${fired.length} fired`);
    t.ok(fired.some(({ run_id }) => run_id === cheap.run_id));
    t.ok(watched.outside <= 600_000 + 30 * 1000, `${watched.outside} units`);
    t.ok(Math.max(0, ...watched.within) <= 10_000, `${watched.within} units in transactions`);

    const before = cut.length;
    t.equal(await server.deliver(), fired.length);
    const next = await project.emit('plain', { payload: 1 });
    const again = (await server.views.read(project.scope, next)).deliveries;
    t.equal(again.length, before, 'what was cut goes on waiting');
    t.ok(
      again.some(({ state }) => state === 'queued'),
      'and the next event has a budget of its own',
    );
    t.same(await checkBusInvariants(server.database), []);
  });
