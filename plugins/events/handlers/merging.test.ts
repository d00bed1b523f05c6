import t from 'tap';
import { until } from '../../../test/kit/index.ts';
import { passTime } from './testing/pass-time.ts';
import { assertInvariants, onEachStore } from './testing/in-world.ts';
import { readWaits } from './store/waits.ts';
import { count, deliveriesOf, runsOf, type World } from './testing/world.ts';

t.setTimeout(600_000);

const load = (world: World) => world.handlers.load(world.scope);
const emit = (world: World, key: string, trusted = true) => world.emit({ payload: { key }, trusted });
const finish = async ({ agent }: World) => {
  while ((await agent.work(16)).length > 0);
};
const started = (world: World, runs: number) =>
  until(async () => (await runsOf(world)).length === runs, { what: `${runs} runs` });

// @store: deliveries are merged by statements.
onEachStore((store, withWorld) => {
  t.test(`${store}: the last event of a burst starts the run`, (t) =>
    withWorld(t, async (world) => {
      const debounce = { period: '1h', max: '2h', key: 'event.payload.key' };
      t.same((await world.set('index', { debounce })).view.debounce, debounce);
      const events: string[] = [];
      for (const key of ['a', 'a', 'b', 'a']) events.push((await emit(world, key)).event_id);
      await emit(world, 'a', false);
      t.same(await load(world), { in_flight: 0, queued: 3 });
      const waits = (key: string) =>
        `index queued debounce: the run starts when no event for the key "${key}" has arrived for 1h, at the latest 2h after the first`;
      const merged = (by: string) => `index declined debounce: the event ${by} arrived later and replaces it`;
      const [first, last] = await Promise.all(
        [2, 3].map(async (at) => (await world.bus.read(world.scope, events[at]!))!),
      );
      const waiting = await readWaits(world.database, last!, ['index']);
      t.match(waiting.get('index'), { for: 'debounce', others: 0, until: Number });
      t.equal((await readWaits(world.database, first!, ['other'])).size, 0);
      t.match((await world.handlers.read({ scope: world.scope, name: 'index' })).waiting, [
        { for: 'debounce', count: 3, until: String },
      ]);
      t.same(await deliveriesOf(world), [merged(events[1]!), merged(events[3]!), waits('b'), waits('a'), waits('a')]);
      await assertInvariants(t, world);
      await passTime(world, 3_000_000);
      await emit(world, 'b');
      await passTime(world, 601_000);
      await started(world, 2);
      t.same(await load(world), { in_flight: 2, queued: 1 }, 'the burst of b goes on');
      await passTime(world, 3_000_000);
      await started(world, 3);
      await emit(world, 'c');
      for (const ms of [3_000_000, 3_000_000]) {
        await passTime(world, ms);
        await emit(world, 'c');
      }
      t.equal((await load(world)).queued, 1);
      await passTime(world, 1_201_000);
      await started(world, 4);
      t.match(
        (await runsOf(world)).find(({ trigger }) => trigger.event === events[3]),
        { trusted: 1 },
        'a trusted event is not merged with untrusted ones',
      );
      await finish(world);
    }),
  );

  t.test(`${store}: several events start one run, whose input is the list of them`, (t) =>
    withWorld(t, async (world) => {
      await world.set('load', { batch: { size: 3, timeout: '1h', key: 'event.payload.key' } });
      for (const key of ['a', 'b', 'a', 'a', 'b']) await emit(world, key);
      await started(world, 1);
      const [run] = await runsOf(world);
      t.match(run!.trigger, { batch: 3, type: 'deploy.done' });
      const [claim] = await world.agent.claim(1);
      t.match(claim!.envelope, { batch: 3, trusted: true, type: 'deploy.done' });
      t.same(
        (claim!.envelope.payload as { payload: unknown }[]).map(({ payload }) => payload),
        Array(3).fill({ key: 'a' }),
      );
      await world.agent.end(claim!);
      t.same(await load(world), { in_flight: 0, queued: 2 });
      t.equal((await deliveriesOf(world)).filter((one) => one === 'load delivered').length, 3);
      await passTime(world, 3_601_000);
      await started(world, 2);
      t.match((await runsOf(world)).at(-1)!.trigger, { batch: 2 });
      await finish(world);
      t.equal(await count(world, 'handlers_gates'), 0);
      await emit(world, 'c');
      await passTime(world, 3_601_000);
      await started(world, 3);
      const [alone] = await world.agent.claim(1);
      t.match(alone!.envelope, { batch: 1, payload: [{ payload: { key: 'c' } }] }, 'one event is a list too');
      await world.agent.end(alone!);
    }),
  );

  t.test(`${store}: a batch has bounded bytes, and one that waits for a place is complete`, (t) =>
    withWorld(t, async (world) => {
      await world.set('load', { batch: { size: 100, timeout: '1h' }, concurrency: { limit: 1 } });
      const large = () => world.emit({ payload: 'x'.repeat(400_000) });
      for (let n = 0; n < 5; n++) await large();
      await started(world, 1);
      t.match((await runsOf(world))[0]!.trigger, { batch: 2 });
      const waiting = async () => (await world.handlers.read({ scope: world.scope, name: 'load' })).waiting;
      await until(async () => (await waiting())?.length === 2, { what: 'the second batch to wait for a place' });
      t.equal(await count(world, 'handlers_gates'), 1);
      await assertInvariants(t, world);
      t.same(await load(world), { in_flight: 1, queued: 3 });
      t.match(await waiting(), [
        { for: 'batch', count: 2 },
        { for: 'concurrency', count: 1 },
      ]);
      await world.agent.work(1);
      await until(async () => (await load(world)).queued === 1, { what: 'the second batch to start' });
      t.same(await load(world), { in_flight: 1, queued: 1 });
      await world.remove('load');
      t.equal((await load(world)).queued, 0);
      await finish(world);
    }),
  );

  t.test(`${store}: an event is measured once, however many handlers collect it`, (t) =>
    withWorld(t, async (world) => {
      const readsOf = async () => {
        let reads = 0;
        const payload = { get body() { reads += 1; return 'x'.repeat(1000); } }; // biome-ignore format: short
        await world.emit({ payload });
        return reads;
      };
      await world.set('load-0', { batch: { size: 100, timeout: '1h' } });
      const once = await readsOf();
      for (let n = 1; n < 10; n++) await world.set(`load-${n}`, { batch: { size: 100, timeout: '1h' } });
      t.equal(await readsOf(), once);
      const rows = await world.database.read<{ bytes: number }>('SELECT DISTINCT bytes FROM handlers_queue');
      t.equal(rows.length, 1);
      t.ok(Number(rows[0]!.bytes) > 1000 && Number(rows[0]!.bytes) < 1100);
      for (let n = 0; n < 10; n++) await world.remove(`load-${n}`);
      await finish(world);
    }),
  );

  t.test(`${store}: what merges is combined only with what makes sense`, (t) =>
    withWorld(t, async (world) => {
      const debounce = { period: '5s' };
      const batch = { size: 2, timeout: '5s', key: 'event.payload.a' };
      const rejected: [Parameters<World['set']>[1], RegExp][] = [
        [{ debounce, batch }, /batch cannot be combined with debounce/],
        [{ debounce, rate_limit: { limit: 1, period: '1h' } }, /rate_limit cannot be combined with debounce/],
        [{ batch, rate_limit: { limit: 1, period: '1h' } }, /rate_limit cannot be combined with batch/],
        [{ batch, concurrency: { key: 'event.payload.b' } }, /concurrency\/key must be the same as batch.key/],
        [
          { batch, throttle: { limit: 1, period: '1h', key: 'event.key' } },
          /throttle\/key must be the same as batch.key/,
        ],
        [{ batch, priority: 'event.payload.b' }, /priority must be a number/],
        [{ priority: 'event..b' }, /^priority is not a valid expression: unexpected `\.\.`, at line 1, column 6$/],
        [{ debounce: { period: '5s', max: '4s' } }, /debounce\/max must be at least the period, 5s/],
        [{ batch: { size: 2, timeout: '2d' } }, /batch\/timeout must be 1s to 1d/],
      ];
      for (const [body, message] of rejected)
        await t.rejects(world.set('bad', body), { code: 'invalid_request', message });
      await world.set('good', { batch, concurrency: { key: batch.key }, throttle: { limit: 1, period: '1h' } });
    }),
  );

  t.test(`${store}: a batch takes one turn, however many events it has`, (t) =>
    withWorld(t, async (world) => {
      for (let n = 0; n < 16; n++) await world.set(`many-${n}`, { on: ['many'] });
      await world.set('batched', { on: ['row'], batch: { size: 4, timeout: '1h' } });
      await world.set('single', { on: ['one'], concurrency: { limit: 16 } });
      await world.emit({ type: 'many' });
      for (let n = 0; n < 8; n++) await world.emit({ type: 'row' });
      for (let n = 0; n < 3; n++) await world.emit({ type: 'one' });
      const isWaitingForSlots = async () =>
        (await world.handlers.read({ scope: world.scope, name: 'batched' })).waiting?.some(
          (wait) => wait.for === 'slot' && wait.count === 2,
        );
      await until(isWaitingForSlots, { what: 'both batches to wait for slots' });
      const order: unknown[] = [];
      const seen = new Set<string>();
      while (order.length < 5) {
        await world.agent.work(1);
        for (const { run_id, trigger } of await runsOf(world))
          if (['batched', 'single'].includes(String(trigger.handler)) && !seen.has(run_id)) {
            seen.add(run_id);
            order.push(trigger.handler);
          }
      }
      t.same(order, ['batched', 'single', 'batched', 'single', 'single']);
      await assertInvariants(t, world);
      await finish(world);
    }),
  );

  t.test(`${store}: a higher priority goes first, and keys take turns`, (t) =>
    withWorld(t, async (world) => {
      for (let n = 0; n < 16; n++) await world.set(`many-${n}`, { on: ['many'] });
      await world.set('job', {
        concurrency: { limit: 16, key: 'event.payload.key' },
        priority: 'event.payload.key == "high" ? 60 : 0',
      });
      await world.emit({ type: 'many' });
      for (const key of ['a', 'a', 'a', 'b', 'high', 'b', 'high']) await emit(world, key);
      t.same(await load(world), { in_flight: 16, queued: 7 });
      const order: unknown[] = [];
      const seen = new Set<string>();
      while (order.length < 7) {
        await world.agent.work(1);
        for (const { run_id, trigger } of await runsOf(world))
          if (trigger.handler === 'job' && !seen.has(run_id)) {
            seen.add(run_id);
            order.push(trigger.concurrency_key);
          }
      }
      t.same(order, ['high', 'a', 'b', 'high', 'a', 'b', 'a']);
      await finish(world);
      await world.set('job', { priority: 'event.payload.none' });
      await emit(world, 'x');
      t.equal((await deliveriesOf(world)).at(-1), 'job delivered', 'no priority is no reason to lose an event');
      await finish(world);
    }),
  );
});
