import t from 'tap';
import { Clock, Database, Log, Sealer } from '../../../kernel/contracts/index.ts';
import {
  type Claimed,
  type ClaimRef,
  ISOLATES,
  type Json,
  RunEngine,
  RunStore,
  Wakeups,
} from '../../engine/runs/contract.ts';
import { bootEngine, checkRuns, type EngineServer, openTestDatabase, STORES } from '../../../test/kit/index.ts';
import { LeaseOwners, Leases } from './contract.ts';
import { LeaseNotifier } from './service/lease-notifier.ts';
import { groupOf } from './testing/group.ts';
import { checkLockInvariants } from './testing/invariants.ts';
import type { LeaseStore } from './store/lease-store.ts';

const LEASE_MS = 60_000;
const ref = ({ activity_id, epoch }: ClaimRef): ClaimRef => ({ activity_id, epoch });

function notifierOf({ use }: EngineServer): LeaseNotifier {
  return new LeaseNotifier({
    store: use(Leases) as LeaseStore,
    owners: () => use.all(LeaseOwners),
    database: use(Database),
    sealer: use(Sealer),
    wakeups: use(Wakeups),
    clock: use(Clock),
    log: use(Log),
  });
}

const lock = (position: number, name: string, more: { args?: Json; timeout_ms?: number; ordinal?: number } = {}) => ({
  ...{ position, kind: 'lock', name, ordinal: 0, digest: '', args: {}, started_at: 0 },
  ...more,
});

const command = (position: number, name: string, at: number) => ({
  ...{ position, kind: 'lock-step', name, ordinal: 0, digest: '', started_at: 0 },
  args: { lock: at, exit_code: 3, output: Buffer.from('out').toString('base64') },
});

const claim = async (world: EngineServer): Promise<Claimed[]> =>
  world.use(RunStore).claim({ agent_id: 'agt_1', capabilities: [ISOLATES] }, 100, LEASE_MS);

/** Submits this many scripts and claims them in order. */
async function begin(world: EngineServer, count: number): Promise<Claimed[]> {
  const claimed: Claimed[] = [];
  for (let n = 0; n < count; n++) {
    await world.use(RunEngine).submit(world.submit());
    claimed.push(...(await claim(world)));
  }
  return claimed;
}

const cancel = (world: EngineServer, { org_id, project_id, run_id }: Claimed) =>
  world.use(RunStore).cancelRun({ org_id, project_id, run_id, reason: 'enough' });

// @store: the queue is a table.
for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const shared = await openTestDatabase(store);
    const world = await bootEngine({ database: shared, plugins: ['locks'] });
    const other = await bootEngine({ database: shared, plugins: ['locks'] });
    t.teardown(async () => {
      await world.close();
      await other.close();
      await shared.drop();
    });
    const database = world.use(Database);
    const notifiers = [notifierOf(world), notifierOf(other)];
    const tell = async () => {
      for (const notifier of notifiers) await notifier.notify();
    };
    t.afterEach(async () => {
      t.same(await checkRuns(database), [], 'the invariants of the engine hold');
      t.same(await checkLockInvariants(database), [], 'those of leases hold');
    });
    const holder = async (group: string) =>
      (await groupOf(database, { org_id: 'org_1', project_id: 'prj_1' }, group))?.holder?.run_id;

    t.test('scripts park in the queue and wake in its order, whatever ends the run before', async (t) => {
      const runs = await begin(world, 6);
      const [first, ...waiting] = runs;
      t.match(await world.use(RunStore).park(ref(first!), lock(0, 'g')), { record: { exit_code: 0 } });
      for (const [n, one] of waiting.entries())
        t.same(await (n % 2 ? world : other).use(RunStore).park(ref(one), lock(0, 'g')), { parked: true });
      const scope = { org_id: 'org_1', project_id: 'prj_1' };
      const substate = { kind: 'awaiting_lease', name: 'g' };
      t.match(await world.use(RunEngine).read(scope, waiting[0]!.run_id), { status: 'waiting', substate });
      // One leaves the queue, one fails, one succeeds, one is cancelled.
      await cancel(other, waiting[1]!);
      await world.use(RunStore).complete(ref(first!), { status: 'failed', code: 'script_failed', message: 'x' });
      t.equal(await holder('g'), waiting[0]!.run_id, 'passed on with the end itself');
      const woken: string[] = [];
      for (const end of ['succeeded', 'cancelled', 'succeeded', 'succeeded']) {
        await Promise.all(notifiers.map((notifier) => notifier.notify()));
        const [next, ...more] = await claim(world);
        t.equal(more.length, 0, 'one at a time');
        t.match(next!.journal, [{ kind: 'lock', name: 'g', exit_code: 0 }]);
        woken.push(next!.run_id);
        if (end === 'cancelled') await cancel(world, next!);
        else await other.use(RunStore).complete(ref(next!), { status: 'succeeded', output: null });
      }
      t.same(
        woken,
        [waiting[0], waiting[2], waiting[3], waiting[4]].map((one) => one!.run_id),
      );
      t.equal(await holder('g'), undefined);
    });

    t.test('a holder that dies keeps its lease for its next pass', async (t) => {
      const [first, second] = await begin(world, 2);
      await world.use(RunStore).park(ref(first!), lock(0, 'dies'));
      await other.use(RunStore).park(ref(second!), lock(0, 'dies'));
      await world.use(RunStore).release(ref(first!));
      await tell();
      t.equal(await holder('dies'), first!.run_id);
      const [again] = await claim(other);
      t.match(again!.journal, [{ kind: 'lock', name: 'dies' }]);
      await other.use(RunStore).complete(ref(again!), { status: 'succeeded', output: null });
      await tell();
      const [next] = await claim(world);
      t.equal(next!.run_id, second!.run_id);
      await world.use(RunStore).complete(ref(next!), { status: 'succeeded', output: null });
    });

    t.test('a granted lease whose owner is cancelled before it is told goes on to the next', async (t) => {
      const [first, second, third] = await begin(world, 3);
      for (const one of [first!, second!, third!]) await world.use(RunStore).park(ref(one), lock(0, 'gone'));
      await cancel(world, first!);
      t.equal(await holder('gone'), second!.run_id);
      await Promise.all([cancel(other, second!), notifiers[0]!.notify(), notifiers[1]!.notify()]);
      await tell();
      t.equal(await holder('gone'), third!.run_id);
      const claimed = await claim(world);
      t.same(
        claimed.map(({ run_id }) => run_id),
        [third!.run_id],
      );
      await world.use(RunStore).complete(ref(claimed[0]!), { status: 'succeeded', output: null });
    });

    t.test('the record of a command releases its lease, once', async (t) => {
      const [first, second] = await begin(world, 2);
      const runs = world.use(RunStore);
      const args = { command: true };
      t.match(await runs.park(ref(first!), lock(0, 'cmd', { args })), { record: { exit_code: 0 } });
      t.same(await runs.park(ref(second!), lock(0, 'cmd', { args })), { parked: true });
      t.match(await runs.perform(ref(first!), command(1, 'cmd', 0)), { exit_code: 3 });
      t.equal(await holder('cmd'), second!.run_id);
      t.match(await other.use(RunStore).perform(ref(first!), command(1, 'cmd', 0)), { exit_code: 3 }, 'a repeat');
      t.equal(await holder('cmd'), second!.run_id);
      await tell();
      const [next] = await claim(other);
      const bad: Json[] = [null, {}, { lock: 0, exit_code: 0, output: '%' }];
      for (const args of bad)
        await t.rejects(runs.perform(ref(next!), { ...command(1, 'cmd', 0), args }), { code: 'invalid_request' });
      await runs.complete(ref(first!), { status: 'succeeded', output: null });
      await runs.complete(ref(next!), { status: 'succeeded', output: null });
      t.equal(await holder('cmd'), undefined);
    });

    t.test('a wait that is over gives up its place, and one whose lease came first has it', async (t) => {
      const [first, hasty, late] = await begin(world, 3);
      const runs = world.use(RunStore);
      await runs.park(ref(first!), lock(0, 'time'));
      await runs.park(ref(hasty!), lock(0, 'time', { timeout_ms: 1 }));
      t.match(await runs.park(ref(late!), lock(0, 'time', { timeout_ms: 0 })), { record: { exit_code: 124 } });
      while ((await runs.resolveDue(10)).resolved === 0) await new Promise((done) => void setImmediate(done));
      const [again] = await claim(world);
      t.match(again!.journal, [{ exit_code: 124, message: /not free before the timeout/ }]);
      t.same(await runs.park(ref(again!), lock(1, 'time', { ordinal: 1, timeout_ms: 1 })), { parked: true });
      await runs.complete(ref(first!), { status: 'succeeded', output: null });
      while ((await runs.resolveDue(10)).resolved === 0) await new Promise((done) => void setImmediate(done));
      const [held] = await claim(world);
      t.match(held!.journal[1], { exit_code: 0 }, 'granted before its time was seen to be over');
      for (const one of [held!, late!]) await runs.complete(ref(one), { status: 'succeeded', output: null });
    });

    t.test('names that are none, and arguments that are none', async (t) => {
      const [one] = await begin(world, 1);
      const runs = world.use(RunStore);
      for (const name of ['', 'a\nb', 'x'.repeat(256)])
        await t.rejects(runs.park(ref(one!), lock(0, name)), { code: 'invalid_request' }, JSON.stringify(name));
      const bad: Json[] = [{ command: 1 }, { other: true }];
      for (const args of bad)
        await t.rejects(runs.park(ref(one!), lock(0, 'x', { args })), { code: 'invalid_request' });
      await runs.complete(ref(one!), { status: 'succeeded', output: null });
    });

    t.test('many runs, two servers, cancels in between: everybody gets a turn', async (t) => {
      const runs = await begin(world, 24);
      let inside = 0;
      const ended = new Set<string>();
      const worlds = [world, other];
      await Promise.all(
        runs
          .map((one, n) => worlds[n % 2]!.use(RunStore).park(ref(one), lock(0, 'many')))
          .map(async (answer, n) => {
            if ('record' in (await answer)) {
              inside += 1;
              await worlds[n % 2]!.use(RunStore).complete(ref(runs[n]!), { status: 'succeeded', output: null });
              inside -= 1;
              ended.add(runs[n]!.run_id);
            } else if (n % 5 === 4) {
              await cancel(worlds[n % 2]!, runs[n]!);
              ended.add(runs[n]!.run_id);
            }
          }),
      );
      while (ended.size < runs.length) {
        await Promise.all(notifiers.map((notifier) => notifier.notify()));
        for (const next of await claim(worlds[ended.size % 2]!)) {
          inside += 1;
          t.equal(inside, 1, 'alone');
          await world.use(RunStore).complete(ref(next), { status: 'succeeded', output: null });
          inside -= 1;
          ended.add(next.run_id);
        }
      }
      t.equal(await holder('many'), undefined);
    });
  });
