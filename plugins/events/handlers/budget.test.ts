import t, { type Test } from 'tap';
import {
  costly,
  openTestDatabase,
  STORES,
  submission,
  type TestDatabase,
  until,
  watchPredicates,
} from '../../../test/kit/index.ts';
import { RunEngine } from '../../engine/runs/contract.ts';
import { checkHandlerInvariants } from './testing/invariants.ts';
import { deliveriesOf, openWorld, type World } from './testing/world.ts';

t.setTimeout(600_000);

/** What one event may take in a transaction (`LOCKED_UNITS`), and altogether with the share of each handler. */
const LOCKED = 10_000;
const EVENT = 600_000 + 40 * 1000;
const COSTLY = 30;
const CUT = /^costly-\d+ declined event_budget_spent: the predicate was not evaluated/;

/** Costly handlers before a cheap one. */
async function crowd(world: World, on: string): Promise<void> {
  for (let n = 0; n < COSTLY; n++) await world.set(`costly-${10 + n}`, { on: [on], when: costly(n) });
  await world.set('last', { on: [on], when: 'event.type != ""' });
}

/** Some costly ones were judged, the others say why they were not, and the cheap one works. */
function shared(t: Test, deliveries: readonly string[]): void {
  const cut = deliveries.filter((line) => CUT.test(line));
  const judged = deliveries.filter((line) => /^costly-\d+ delivered$/.test(line));
  t.equal(cut.length + judged.length, COSTLY, deliveries.join('\n'));
  t.ok(judged.length >= 4, `${judged.length} were judged`);
  t.ok(cut.length >= 15, `${cut.length} were not`);
  t.equal(deliveries.at(-1), 'last delivered');
}

for (const store of STORES)
  t.test(store, async (t) => {
    let database: TestDatabase;
    t.before(async () => {
      database = await openTestDatabase(store);
    });
    t.teardown(() => database.drop());

    const inWorld = async (run: (world: World, watched: ReturnType<typeof watchPredicates>) => Promise<void>) => {
      const world = await openWorld(database);
      try {
        await run(world, watchPredicates(world.use));
        t.same(await checkHandlerInvariants(world.database), []);
      } finally {
        await world.close();
      }
    };

    await t.test('costly handlers share one budget, and none of it is spent under locks', (t) =>
      inWorld(async (world, watched) => {
        await crowd(world, 'deploy.done');
        await world.emit();
        shared(t, await deliveriesOf(world));
        t.ok(watched.outside > 500_000 && watched.outside <= EVENT, `${watched.outside} units`);
        t.ok(Math.max(0, ...watched.within) <= LOCKED, `${watched.within} units in transactions`);
      }),
    );

    await t.test('so does an event that is recorded in the transaction of its run', (t) =>
      inWorld(async (world, watched) => {
        await crowd(world, 'manual');
        const { run_id } = await world.use(RunEngine).submit(submission({}, world.scope));
        t.match(run_id, /^run_/);
        shared(t, await deliveriesOf(world));
        t.ok(watched.outside <= EVENT, `${watched.outside} units`);
        t.ok(Math.max(0, ...watched.within) <= LOCKED, `${watched.within} units in transactions`);
      }),
    );

    await t.test('and the start and the end of a run', (t) =>
      inWorld(async (world, watched) => {
        await crowd(world, 'run.succeeded');
        const { run_id } = await world.use(RunEngine).submit(submission({}, world.scope));
        t.same(await world.agent.work(1), [run_id]);
        shared(t, await deliveriesOf(world));
        t.ok(watched.outside <= EVENT, `${watched.outside} units`);
        t.ok(Math.max(0, ...watched.within) <= LOCKED, `${watched.within} units in transactions`);
      }),
    );

    await t.test('and what a script emits', (t) =>
      inWorld(async (world, watched) => {
        await crowd(world, 'from.script');
        await world.use(RunEngine).submit(submission({}, world.scope));
        const [claim] = await world.agent.claim(1);
        const args = { type: 'from.script' };
        const call = { position: 0, kind: 'emit', name: 'from.script', ordinal: 0, digest: '', args, started_at: 1 };
        t.match(await world.runs.perform(claim!, call), { exit_code: 0 });
        shared(t, await deliveriesOf(world));
        t.ok(Math.max(0, ...watched.within) <= LOCKED, `${watched.within} units in transactions`);
      }),
    );

    await t.test('and what another server has handed over', async (t) => {
      const world = await openWorld(database, { env: { SVC_EVENT_SEQUENCER: 'on' }, idle: false });
      const watched = watchPredicates(world.use);
      t.teardown(() => world.close());
      await crowd(world, 'manual');
      await world.emit({ type: 'first' });
      const hold = (until: number) =>
        world.database.write('UPDATE bus_heads SET holder = ?, holder_until = ? WHERE project_id = ?', [
          ...['srv_elsewhere', until, world.scope.project_id],
        ]);
      const other = await openWorld(database, {
        env: { SVC_EVENT_SEQUENCER: 'on' },
        project_id: world.scope.project_id,
      });
      t.teardown(() => other.close());
      await hold(world.database.now() + 2500);
      await other.use(RunEngine).submit(submission({}, world.scope));
      t.same(await deliveriesOf(world), [], 'it waits for its number');
      await hold(0);
      await until(async () => (await deliveriesOf(world)).length === COSTLY + 1);
      shared(t, await deliveriesOf(world));
      t.ok(Math.max(0, ...watched.within) <= LOCKED, `${watched.within} units in transactions`);
      t.same(await checkHandlerInvariants(world.database), []);
    });

    await t.test('handlers that change after the judgement are judged as they are then', (t) =>
      inWorld(async (world, watched) => {
        await world.set('changed', { when: `${costly(1)} && event.key == "other"` });
        await world.set('removed', { when: costly(2) });
        await world.emit();
        t.same(await deliveriesOf(world), [
          'changed declined the predicate cannot be evaluated: event.key: no such field',
          'removed delivered',
        ]);
        watched.before_next = async () => {
          await world.set('changed', { when: `${costly(1)} && event.type == "deploy.done"` });
          await world.remove('removed');
          await world.set('added', { when: costly(3) });
          await world.set('simple', { when: 'event.payload == null' });
        };
        await world.emit();
        t.same((await deliveriesOf(world)).slice(2), ['added delivered', 'changed delivered', 'simple delivered']);
        t.ok(Math.max(0, ...watched.within) <= LOCKED, `${watched.within} units in transactions`);
      }),
    );

    await t.test('costly keys and priorities share the budget of the event too', (t) =>
      inWorld(async (world, watched) => {
        const payload = { rows: Array.from({ length: 20_000 }, (_, n) => n) };
        const key = (n: number) => `event.payload.rows == event.payload.rows ? "k${n}" : ""`;
        for (let n = 0; n < COSTLY; n++) {
          const options = [{ concurrency: { key: key(n) } }, { debounce: { period: '1h', key: key(n) } }];
          await world.set(`costly-${10 + n}`, { ...options[n % 2], when: 'event.key == "many"' });
        }
        await world.set('last', {
          debounce: { period: '1h', key: 'event.type' },
          priority: 'size(event.payload.rows)',
        });
        await world.emit({ key: 'many', payload });
        const deliveries = await deliveriesOf(world);
        const cut = deliveries.filter((line) => /^costly-\d+ declined the \w+ key .*: event_budget_spent: /.test(line));
        const judged = deliveries.filter((line) => /^costly-\d+ (delivered|queued debounce)/.test(line));
        t.equal(cut.length + judged.length, COSTLY, deliveries.join('\n'));
        t.ok(judged.length >= 4 && cut.length >= 15, `${judged.length} were judged, ${cut.length} were not`);
        t.match(deliveries.at(-1), /^last queued debounce/);
        t.ok(watched.outside > 500_000 && watched.outside <= EVENT, `${watched.outside} units`);
        t.ok(Math.max(0, ...watched.within) <= LOCKED, `${watched.within} units in transactions`);

        const before = watched.outside;
        await world.emit({ key: 'none', payload });
        t.ok(watched.outside - before < 10_000, 'the keys of handlers that decline an event are not computed');
      }),
    );

    await t.test('cheap handlers in great number are judged too', (t) =>
      inWorld(async (world, watched) => {
        for (let n = 0; n < 60; n++) await world.set(`h-${100 + n}`, { when: `event.payload.n == ${n}` });
        await world.emit({ payload: { n: 7 } });
        t.equal((await deliveriesOf(world)).filter((line) => line.endsWith(' delivered')).join(), 'h-107 delivered');
        t.equal((await deliveriesOf(world)).length, 60);
        t.ok(Math.max(0, ...watched.within) <= LOCKED, `${watched.within} units in transactions`);
      }),
    );
  });
