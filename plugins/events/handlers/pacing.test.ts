import t from 'tap';
import { until } from '../../../test/kit/index.ts';
import { onEachStore } from './testing/in-world.ts';
import { passTime } from './testing/pass-time.ts';
import { count, deliveriesOf, runsOf, type World } from './testing/world.ts';

t.setTimeout(600_000);

const load = (world: World) => world.handlers.load(world.scope);
const emit = (world: World, user: string) => world.emit({ payload: { user } });
const finish = async ({ agent }: World) => {
  while ((await agent.work(16)).length > 0);
};
// @store: what passes is counted by statements.
onEachStore((store, withWorld) => {
  t.test(`${store}: a throttle starts so many runs in a period, for each key, and loses nothing`, (t) =>
    withWorld(t, async (world) => {
      const throttle = { limit: 2, period: '60s', key: 'event.payload.user' };
      const { view } = await world.set('sync', { throttle });
      t.same(view.throttle, { ...throttle, period: '1m' });
      for (const user of ['ana', 'ana', 'ana', 'bo', 'ana', 'ana']) await emit(world, user);
      t.same(await load(world), { in_flight: 3, queued: 3 });
      t.same(
        (await deliveriesOf(world)).filter((one) => one.includes('queued')),
        Array(3).fill('sync queued throttle: the handler starts at most 2 runs in 1m for the key "ana"'),
      );
      await finish(world);
      t.same(await load(world), { in_flight: 0, queued: 3 }, 'the end of a run lets none pass');
      await passTime(world, 61_000);
      await until(async () => (await load(world)).queued === 1, { what: 'the next two to start' });
      await finish(world);
      await passTime(world, 61_000);
      await until(async () => (await load(world)).queued === 0, { what: 'the last one to start' });
      await finish(world);
      const runs = await runsOf(world);
      t.equal(new Set(runs.map(({ trigger }) => trigger.event)).size, 6);
      t.equal(runs.filter(({ trigger }) => trigger.throttle_key === 'bo').length, 1);
      t.equal(await count(world, 'handlers_gates'), 0);
    }),
  );

  t.test(`${store}: what waited for a place or a slot is throttled when it starts`, (t) =>
    withWorld(t, async (world) => {
      await world.set('sync', { throttle: { limit: 2, period: '1h' }, concurrency: { limit: 1 } });
      for (let n = 0; n < 4; n++) await world.emit();
      t.same(await load(world), { in_flight: 1, queued: 3 });
      await world.agent.work(1);
      t.same(await load(world), { in_flight: 1, queued: 2 });
      await world.agent.work(1);
      t.same(await load(world), { in_flight: 0, queued: 2 }, 'the throttle is used up');
      await passTime(world, 3_601_000);
      await until(async () => (await load(world)).in_flight === 1, { what: 'the third to start' });
      await finish(world);
      t.same(await load(world), { in_flight: 0, queued: 0 });
    }),
  );

  t.test(`${store}: another throttle, none, or the end of the handler moves what waits`, (t) =>
    withWorld(t, async (world) => {
      await world.set('sync', { throttle: { limit: 1, period: '1h' } });
      for (let n = 0; n < 5; n++) await world.emit();
      t.same(await load(world), { in_flight: 1, queued: 4 });
      await world.set('sync', { throttle: { limit: 3, period: '1h' } });
      await until(async () => (await load(world)).queued === 2, { what: 'two more to start' });
      await world.set('sync', {});
      await until(async () => (await load(world)).queued === 0, { what: 'all to start' });
      await world.set('other', { on: ['other'], throttle: { limit: 1, period: '1h' } });
      for (let n = 0; n < 2; n++) await world.emit({ type: 'other' });
      await world.remove('other');
      t.same(
        (await deliveriesOf(world)).filter((one) => one.startsWith('other')),
        ['other delivered', 'other refused the handler was removed'],
      );
      t.equal(await count(world, 'handlers_gates'), 0);
      await finish(world);
    }),
  );

  t.test(`${store}: a rate limit drops what is too much, and shows it`, (t) =>
    withWorld(t, async (world) => {
      await world.set('alert', { rate_limit: { limit: 1, period: '1h', key: 'event.payload.user' } });
      for (const user of ['ana', 'ana', 'bo']) await emit(world, user);
      const dropped = 'rate_limit: the handler takes at most 1 event in 1h for the key "ana", so this one is dropped';
      t.same(await deliveriesOf(world), ['alert delivered', `alert declined ${dropped}`, 'alert delivered']);
      t.match((await world.handlers.read({ scope: world.scope, name: 'alert' })).lately, { started: 2, dropped: 1 });
      await world.emit({ payload: { user: 'ana' }, trusted: false });
      t.equal((await deliveriesOf(world)).at(-1), 'alert delivered', 'untrusted events are counted apart');
      await passTime(world, 3_601_000);
      await emit(world, 'ana');
      t.equal((await deliveriesOf(world)).at(-1), 'alert delivered');
      await until(async () => (await count(world, 'handlers_passes')) === 1, { what: 'old passes to be removed' });
      await finish(world);
    }),
  );

  t.test(`${store}: what cannot be an option is rejected with its place`, (t) =>
    withWorld(t, async (world) => {
      const reject = (body: Parameters<World['set']>[1], message: RegExp) =>
        t.rejects(world.set('bad', body), { code: 'invalid_request', message });
      await reject({ throttle: { limit: 1, period: 'soon' } }, /throttle\/period "soon" is not a duration/);
      await reject({ throttle: { limit: 1, period: '8d' } }, /throttle\/period must be 1s to 7d/);
      await reject({ rate_limit: { limit: 1, period: '1h', key: 'event.' } }, /rate_limit\/key/);
    }),
  );
});
