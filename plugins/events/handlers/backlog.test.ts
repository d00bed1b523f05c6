import t, { type Test } from 'tap';
import type { Transaction } from '../../../kernel/contracts/index.ts';
import { checkRuns, openTestDatabase, STORES, until } from '../../../test/kit/index.ts';
import { checkHandlerInvariants } from './testing/invariants.ts';
import { deliveriesOf, openWorld, type World } from './testing/world.ts';

t.setTimeout(600_000);

const TICK = { type: 'tick', refusable: false, source: 'hook', source_name: 'h' } as const;

/** Fills all places, and queues deliveries behind them. */
async function queued(world: World, name: string, body: object, count: number, trusted: boolean): Promise<void> {
  for (let n = 0; n < 16; n++) await world.set(`all-${n}`, { on: ['many'] });
  await world.set(name, { on: ['tick'], ...body });
  await world.emit({ type: 'many' });
  await Promise.all(Array.from({ length: count }, () => world.emit({ ...TICK, trusted })));
}

/** How many queued deliveries each transaction has settled. */
function settledBy({ bus }: World): () => number[] {
  const counts = new Map<Transaction, number>();
  const settle = bus.updateDeliveries.bind(bus);
  bus.updateDeliveries = async (tx, scope, deliveries) => {
    counts.set(tx, (counts.get(tx) ?? 0) + deliveries.length);
    await settle(tx, scope, deliveries);
  };
  return () => [...counts.values()];
}

async function drained(t: Test, world: World): Promise<void> {
  await until(async () => (await world.handlers.load(world.scope)).queued === 0);
  t.same(await checkHandlerInvariants(world.database), []);
  t.same(await checkRuns(world.database), []);
}

for (const store of STORES) {
  t.test(`${store}: of a long queue that may not run, each transaction refuses a part`, async (t) => {
    const database = await openTestDatabase(store);
    const world = await openWorld(database, { idle: false });
    t.teardown(async () => {
      await world.close();
      await database.drop();
    });
    await queued(world, 'other', {}, 700, false);
    await world.emit(TICK);
    await world.set('other', { on: ['tick'], credentials: { TOKEN: 'bot' } });
    const settled = settledBy(world);
    // The trusted delivery takes the first place that is free, and the second one is left to the queue.
    await world.agent.work(2);
    await drained(t, world);
    t.ok(Math.max(...settled()) <= 16 + 3 * 128, `${settled()}`);
    t.equal(
      settled().reduce((sum, count) => sum + count, 0),
      701,
    );
    const states = Object.groupBy(await deliveriesOf(world), (line) => line.split(' ').slice(0, 2).join(' '));
    t.equal(states['other refused']?.length, 700);
    t.equal(states['other delivered']?.length, 1);
    t.equal((await world.handlers.load(world.scope)).in_flight, 15);
  });

  t.test(`${store}: of a long queue of runs that are over at once, each transaction makes a part`, async (t) => {
    const database = await openTestDatabase(store);
    const world = await openWorld(database, { plugins: ['graphs'], idle: false });
    t.teardown(async () => {
      await world.close();
      await database.drop();
    });
    await queued(world, 'quick', { source: undefined, node: 'set', config: { values: 1 } }, 200, true);
    const settled = settledBy(world);
    await world.agent.work(1);
    await drained(t, world);
    t.ok(Math.max(...settled()) <= 4 * 16, `${settled()}`);
    const delivered = (await deliveriesOf(world)).filter((line) => line === 'quick delivered');
    t.equal(delivered.length, 200);
    t.equal((await world.handlers.load(world.scope)).in_flight, 15);
  });
}
