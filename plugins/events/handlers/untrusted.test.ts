import t from 'tap';
import { assertInvariants, onEachStore } from './testing/in-world.ts';
import { deliveriesOf, runsOf, type World } from './testing/world.ts';

t.setTimeout(600_000);

const load = (world: World) => world.handlers.load(world.scope);
/** Ends a run, a few times one after the other, and returns the keys of the runs that start then. */
async function startedByEnds(world: World, ends: number): Promise<(string | null)[]> {
  const started: (string | null)[] = [];
  const known = new Set((await runsOf(world)).map(({ run_id }) => run_id));
  for (let n = 0; n < ends; n++) {
    await world.agent.work(1);
    for (const { run_id, subject } of await runsOf(world)) {
      if (!known.has(run_id)) started.push(subject);
      known.add(run_id);
    }
  }
  return started;
}
const finish = async ({ agent }: World) => {
  while ((await agent.work(16)).length > 0);
};
const many = async (count: number, work: (index: number) => Promise<unknown>) => {
  for (let n = 0; n < count; n++) await work(n);
};

// @store: the order and the counts of queued deliveries are statements.
onEachStore((store, withWorld) => {
  t.test(
    `${store}: untrusted deliveries that wait have a share of a handler's queue, and are behind trusted ones`,
    (t) =>
      withWorld(t, async (world) => {
        await world.set('deploy', { concurrency: { limit: 1 } });
        const outside = (n: number) => world.emit({ key: `outside-${n}`, trusted: false });
        await outside(0);
        await Promise.all(Array.from({ length: 250 }, (_, n) => outside(n + 1)));
        t.same(await load(world), { in_flight: 1, queued: 250 });
        await t.rejects(outside(251), {
          code: 'handlers_in_flight',
          message: '250 untrusted deliveries of the handler deploy wait, which is the most',
        });
        await world.emit({ key: 'inside-1' });
        await world.emit({ key: 'inside-2' });
        t.same(await load(world), { in_flight: 1, queued: 252 });
        t.same(await startedByEnds(world, 3), ['inside-1', 'inside-2', 'outside-1']);
        await assertInvariants(t, world);
        await world.remove('deploy');
        await finish(world);
      }),
  );

  t.test(`${store}: untrusted deliveries take no turns of trusted ones with the same key`, (t) =>
    withWorld(t, async (world) => {
      await many(16, (n) => world.set(`full-${n}`, { on: ['full'] }));
      await world.set('a', { on: ['a'], concurrency: { limit: 9 } });
      await world.set('b', { on: ['b'], concurrency: { limit: 9 } });
      await world.emit({ type: 'full', key: 'full' });
      await many(5, (n) => world.emit({ type: 'a', key: `outside-${n}`, trusted: false }));
      await world.emit({ type: 'a', key: 'a' });
      await world.emit({ type: 'b', key: 'b' });
      t.same(await load(world), { in_flight: 16, queued: 7 });
      t.same(await startedByEnds(world, 3), ['a', 'b', 'outside-0']);
      await finish(world);
      t.same(await load(world), { in_flight: 0, queued: 0 });
    }),
  );

  t.test(`${store}: an untrusted delivery that waits for a slot keeps no place of its handler`, (t) =>
    withWorld(t, async (world) => {
      await many(4, (n) => world.set(`full-${n}`, { on: ['full'] }));
      await world.set('deploy', { concurrency: { limit: 1 } });
      await world.emit({ type: 'full', trusted: false });
      await world.emit({ key: 'outside', trusted: false });
      t.same(await load(world), { in_flight: 4, queued: 1 });
      t.match((await deliveriesOf(world)).at(-1), /^deploy queued .*at most 4 untrusted handler runs in flight/);
      await world.emit({ key: 'inside' });
      t.same(await load(world), { in_flight: 5, queued: 1 });
      t.match((await runsOf(world)).at(-1), { subject: 'inside', trusted: 1 });
      await finish(world);
      t.same(await load(world), { in_flight: 0, queued: 0 });
      await assertInvariants(t, world);
    }),
  );

  t.test(`${store}: untrusted deliveries with many keys hold up no trusted one that waits for a place`, (t) =>
    withWorld(t, async (world) => {
      await many(4, (n) => world.set(`full-${n}`, { on: ['full'] }));
      await world.set('deploy', { concurrency: { key: 'event.key' } });
      await world.emit({ type: 'full', trusted: false });
      await many(40, (n) => world.emit({ key: `outside-${n}`, trusted: false }));
      await world.emit({ key: 'inside' });
      await world.emit({ key: 'inside' });
      t.same(await load(world), { in_flight: 5, queued: 41 });
      const [inside] = (await world.agent.claim(5)).filter(({ trusted }) => trusted);
      await world.agent.end(inside!);
      t.same(await load(world), { in_flight: 5, queued: 40 });
      await world.remove('deploy');
      await finish(world);
    }),
  );
});
