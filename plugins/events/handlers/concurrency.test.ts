import t from 'tap';
import { until } from '../../../test/kit/index.ts';
import { RunReruns } from '../../engine/runs/contract.ts';
import { OPERATOR } from '../../platform/audit/contract.ts';
import { RETRY_KEY } from './domain/retry.ts';
import { admitBlocked } from './store/admissions.ts';
import { assertInvariants, onEachStore } from './testing/in-world.ts';
import { passTime } from './testing/pass-time.ts';
import { deliveriesOf, runsOf, type World } from './testing/world.ts';

t.setTimeout(600_000);

const WAIT = { position: 0, kind: 'wait-signal', name: 'go', ordinal: 0, digest: '', args: null, started_at: 0 };
const load = (world: World) => world.handlers.load(world.scope);
const emit = (world: World, service: unknown) => world.emit({ payload: { service } as never });
const keysOf = async (world: World) => (await runsOf(world)).map(({ trigger }) => trigger.concurrency_key);

// @store: places are counted by statements.
onEachStore((store, withWorld) => {
  t.test(`${store}: each value of the key has its own places, and the others wait in order`, (t) =>
    withWorld(t, async (world) => {
      const { view } = await world.set('deploy', { concurrency: { key: 'event.payload.service' } });
      t.same(view.concurrency, { limit: 1, key: 'event.payload.service' });
      for (const service of ['shop', 'shop', 'blog', 'shop', 7]) await emit(world, service);
      t.same(await keysOf(world), ['shop', 'blog', '7']);
      t.same(await load(world), { in_flight: 3, queued: 2 });
      t.same(
        (await deliveriesOf(world)).filter((one) => one.includes('queued')),
        Array(2).fill('deploy queued concurrency: the handler may have 1 run in flight for the key "shop"'),
      );
      await assertInvariants(t, world);
      const done = async () => {
        const worked = await world.agent.work(3);
        return worked.length;
      };
      t.equal(await done(), 3);
      t.same(await load(world), { in_flight: 1, queued: 1 }, 'the end of a run starts the next one of its key');
      t.equal(await done(), 1);
      t.equal(await done(), 1);
      t.same(await load(world), { in_flight: 0, queued: 0 });
      const events = (await runsOf(world)).map(({ trigger }) => trigger.event);
      t.equal(new Set(events).size, 5, 'each event has one run');
    }),
  );

  t.test(`${store}: a run that waits frees its place, and is never held back for it`, (t) =>
    withWorld(t, async (world) => {
      await world.set('one', { concurrency: { limit: 1 } });
      await world.emit();
      await world.emit();
      t.same(await load(world), { in_flight: 1, queued: 1 });
      const [claim] = await world.agent.claim(1);
      await world.runs.park(claim!, WAIT);
      await until(async () => (await load(world)).queued === 0, { what: 'the next one to start' });
      t.same(await load(world), { in_flight: 1, queued: 0 });
      const { org_id, project_id } = world.scope;
      await world.runs.sendSignal({ org_id, project_id, run_id: claim!.run_id, name: 'go', payload: null });
      t.same(await load(world), { in_flight: 2, queued: 0 });
      await world.emit();
      while ((await world.agent.work(4)).length > 0);
      t.same(await load(world), { in_flight: 0, queued: 0 });
      t.equal((await runsOf(world)).length, 3);
    }),
  );

  t.test(`${store}: a larger limit, none, or the end of the handler moves what waits`, (t) =>
    withWorld(t, async (world) => {
      await world.set('one', { concurrency: { limit: 1 } });
      for (let n = 0; n < 6; n++) await world.emit();
      t.same(await load(world), { in_flight: 1, queued: 5 });
      await world.set('one', { concurrency: { limit: 3 } });
      await until(async () => (await load(world)).in_flight === 3, { what: 'two more to start' });
      await world.set('one', {});
      await until(async () => (await load(world)).queued === 0, { what: 'all to start' });
      await world.set('two', { on: ['two'], concurrency: { limit: 1 } });
      await world.emit({ type: 'two' });
      await world.emit({ type: 'two' });
      await world.remove('two');
      t.same(
        (await deliveriesOf(world)).filter((one) => one.startsWith('two')),
        ['two delivered', 'two refused the handler was removed'],
      );
      while ((await world.agent.work(16)).length > 0);
    }),
  );

  t.test(`${store}: more deliveries than one transaction admits are admitted in several`, (t) =>
    withWorld(t, async (world) => {
      await world.set('one', { concurrency: { limit: 1 } });
      for (let n = 0; n < 41; n++) await world.emit();
      await world.database.write('UPDATE handlers_queue SET max_runs = 1000 WHERE blocked = 1');
      const admit = () => world.database.transaction((tx) => admitBlocked(tx, world.scope, { untrusted: 4 }));
      const more = [await admit(), await admit(), await admit()].map(({ has_more }) => has_more);
      t.same(more, [true, false, false]);
      const [blocked] = await world.database.read<{ n: number }>(
        'SELECT COUNT(*) AS n FROM handlers_queue WHERE blocked = 1',
      );
      t.equal(Number(blocked!.n), 0);
      while ((await world.agent.work(16)).length > 0);
    }),
  );

  t.test(`${store}: an emit waits where others are rejected, but not without end`, (t) =>
    withWorld(t, async (world) => {
      for (let n = 0; n < 16; n++) await world.set(`many-${n}`, { on: ['many'] });
      await world.set('one', { concurrency: { limit: 1 } });
      await world.emit({ type: 'many' });
      await world.emit();
      t.same(await load(world), { in_flight: 16, queued: 1 }, 'it waits for a slot of the project');
      await t.rejects(world.emit({ type: 'many' }), { code: 'handlers_in_flight' });
      for (let n = 1; n < 1000; n += 37) await world.emit();
      while ((await world.agent.work(16)).length > 0);
      t.same(await load(world), { in_flight: 0, queued: 0 });
    }),
  );

  t.test(`${store}: what has no key is declined, and what no key can be is rejected`, (t) =>
    withWorld(t, async (world) => {
      await world.set('deploy', { concurrency: { key: 'event.payload.service' } });
      await emit(world, { no: 'text' });
      await emit(world, 'x'.repeat(256));
      await world.emit({ payload: {} });
      t.match(await deliveriesOf(world), [
        /declined the concurrency key is not a string/,
        /declined the concurrency key has more than 255/,
        /declined the concurrency key could not be evaluated/,
      ]);
      const reject = (key: string) => world.set('bad', { concurrency: { key } });
      await t.rejects(reject('event.payload.list.map(x, x)'), { message: /must not loop/ });
      await t.rejects(reject('nobody.knows'), { code: 'invalid_request' });
      await t.rejects(reject('event.'), { code: 'invalid_request' });
    }),
  );
});

// @store: places are counted by statements.
onEachStore((store, withWorld) => {
  const LIMITED = { concurrency: { limit: 1 }, retry: { limit: 3, backoff: '1h' } };
  const FAILED = { status: 'failed', code: 'script_failed', message: 'exit code 1' } as const;
  const failNext = async (world: World): Promise<string> => {
    const claim = await world.agent.claimOne();
    await world.agent.end(claim, FAILED);
    return claim.run_id;
  };
  /** Makes the retry due, as the Retrier makes it. */
  const retry = ({ use, scope }: World, run_id: string) =>
    use(RunReruns).rerun({ ...scope, run_id, key: RETRY_KEY, by: OPERATOR });
  const waitingRetries = async ({ database, scope }: World): Promise<number> => {
    const [row] = await database.read<{ n: number }>(
      'SELECT COUNT(*) AS n FROM handlers_retries WHERE project_id = ? AND waiting = 1',
      [scope.project_id],
    );
    return Number(row!.n);
  };
  const sourceOf = async ({ database }: World, run_id: string) => {
    const [run] = await database.read<{ rerun_of: string | null }>('SELECT rerun_of FROM runs_runs WHERE run_id = ?', [
      run_id,
    ]);
    return run!.rerun_of;
  };
  const allRetriesWait = (world: World, n: number) =>
    until(async () => (await waitingRetries(world)) === n, { what: 'the retries to wait for a place' });

  t.test(`${store}: a retry starts within its handler's limit, for each value of the key`, (t) =>
    withWorld(t, async (world) => {
      await world.set('one', { ...LIMITED, concurrency: { limit: 1, key: 'event.payload.service' } });
      await emit(world, 'shop');
      const failed = await failNext(world);
      await emit(world, 'shop');
      await t.rejects(retry(world, failed), {
        code: 'handlers_in_flight',
        message: /concurrency: the handler may have 1 run in flight for the key "shop"/,
      });
      t.same(await load(world), { in_flight: 1, queued: 0 });
      await world.agent.work(1);
      await emit(world, 'blog');
      await retry(world, failed);
      t.same(await load(world), { in_flight: 2, queued: 0 }, 'other keys have places of their own');
      await emit(world, 'shop');
      t.same(await load(world), { in_flight: 2, queued: 1 }, 'a retry takes a place');
      while ((await world.agent.work(4)).length > 0);
    }),
  );

  t.test(`${store}: a due retry gets the next place, before a backlog of its handler`, (t) =>
    withWorld(t, async (world) => {
      await world.set('one', LIMITED);
      await world.emit();
      const failed = await failNext(world);
      for (let n = 0; n < 3; n++) await world.emit();
      await passTime(world, 3_600_000);
      await allRetriesWait(world, 1);
      await world.emit();
      t.same(await load(world), { in_flight: 1, queued: 3 });
      await assertInvariants(t, world);
      await world.agent.work(1);
      await until(async () => (await load(world)).in_flight === 1, { what: 'the retry to start' });
      t.same(await load(world), { in_flight: 1, queued: 3 }, 'the others wait for it');
      const claim = await world.agent.claimOne();
      t.equal(await sourceOf(world, claim.run_id), failed);
      await world.agent.end(claim);
      t.same(await load(world), { in_flight: 1, queued: 2 }, 'its end starts the next one');
      while ((await world.agent.work(1)).length > 0);
      t.same(await load(world), { in_flight: 0, queued: 0 });
    }),
  );

  t.test(`${store}: an untrusted retry comes before untrusted deliveries, and after trusted ones`, (t) =>
    withWorld(t, async (world) => {
      await world.set('one', LIMITED);
      const emitAs = (trusted: boolean) => world.emit({ trusted, source: 'hook', source_name: 'h', refusable: false });
      await emitAs(false);
      const failed = await failNext(world);
      await emitAs(true);
      await emitAs(false);
      await passTime(world, 3_600_000);
      await allRetriesWait(world, 1);
      await emitAs(true);
      t.same(await load(world), { in_flight: 1, queued: 2 });
      await world.agent.work(1);
      t.same(await load(world), { in_flight: 1, queued: 1 }, 'the trusted delivery starts');
      t.equal(await waitingRetries(world), 1);
      await world.agent.work(1);
      await until(async () => (await load(world)).in_flight === 1, { what: 'the retry to start' });
      const claim = await world.agent.claimOne();
      t.equal(await sourceOf(world, claim.run_id), failed);
      await world.agent.end(claim);
      while ((await world.agent.work(1)).length > 0);
      t.same(await load(world), { in_flight: 0, queued: 0 });
    }),
  );

  t.test(`${store}: a retry that finds no slot of the project leaves its place to deliveries`, (t) =>
    withWorld(t, async (world) => {
      for (let n = 0; n < 15; n++) await world.set(`many-${n}`, { on: ['many'] });
      await world.set('other', { on: ['other'] });
      await world.set('one', LIMITED);
      await world.emit();
      await failNext(world);
      await world.emit();
      const running = await world.agent.claimOne();
      await passTime(world, 3_600_000);
      await allRetriesWait(world, 1);
      await world.emit();
      await world.emit({ type: 'many' });
      await world.emit({ type: 'other', source: 'hook', source_name: 'h', refusable: false });
      t.same(await load(world), { in_flight: 16, queued: 2 });
      await world.agent.end(running);
      const blocked = () => world.database.read('SELECT name FROM handlers_queue WHERE blocked = 1');
      await until(async () => (await blocked()).length === 0, { what: 'the delivery to get the place' });
      t.same(await load(world), { in_flight: 16, queued: 1 });
      await assertInvariants(t, world);
      while ((await world.agent.work(16)).length > 0);
    }),
  );
});
