import t, { type Test } from 'tap';
import { openTestDatabase, StandInAgent, STORES, type TestDatabase, until } from '../../../test/kit/index.ts';
import { Expressions } from '../../../kernel/contracts/index.ts';
import { type Claimed, type Json, RunStore } from '../../engine/runs/contract.ts';
import { assertInvariants, inWorld } from './testing/in-world.ts';
import { deliveriesOf, type openWorld, runsOf, type World } from './testing/world.ts';

t.setTimeout(600_000);

const wait = { position: 0, kind: 'wait-signal', name: 'go', ordinal: 0, digest: '', args: null, started_at: 0 };
const TICK = { type: 'tick', refusable: false, source: 'hook', source_name: 'h' } as const;

const load = (world: World) => world.handlers.load(world.scope);

const signal = ({ runs, scope: { org_id, project_id } }: World, run_id: string, payload: Json = null) =>
  runs.sendSignal({ org_id, project_id, run_id, name: 'go', payload });

/** Sixteen handlers whose runs all wait. */
async function parkAll(world: World): Promise<Claimed[]> {
  for (let n = 0; n < 16; n++) await world.set(`ask-${n}`, { on: ['ask'] });
  await world.emit({ type: 'ask' });
  const claims = await world.agent.claim(16);
  for (const claim of claims) await world.runs.park(claim, wait);
  return claims;
}

// @store: places are counted by statements.
// @apart: a hook at the root of the tests lets that end as soon as this file has.
for (const store of STORES) {
  let database: TestDatabase;
  t.before(async () => {
    database = await openTestDatabase(store);
  });
  t.teardown(() => database.drop());

  const withWorld = (t: Test, work: (world: World) => Promise<void>, options: Parameters<typeof openWorld>[1] = {}) =>
    inWorld(t, database, options, work);

  t.test(`${store}: a handler run that waits is not in flight, and takes its place again when it wakes`, (t) =>
    withWorld(t, async (world) => {
      const parked = await parkAll(world);
      t.equal(parked.length, 16);
      t.same(await load(world), { in_flight: 0, queued: 0 });
      await assertInvariants(t, world);
      await world.emit({ type: 'nobody.listens' });
      for (let n = 0; n < 16; n++) await world.set(`all-${n}`, { on: ['many'] });
      await world.emit({ type: 'many' });
      t.same(await load(world), { in_flight: 16, queued: 0 });
      await t.rejects(world.emit({ type: 'ask' }), { code: 'handlers_in_flight' });

      t.match(await signal(world, parked[0]!.run_id), { state: 'taken' });
      t.same(await load(world), { in_flight: 17, queued: 0 }, 'it is never held back');
      await assertInvariants(t, world);
      t.match(await runsOf(world).then((runs) => runs.find(({ run_id }) => run_id === parked[0]!.run_id)), {
        status: 'running',
      });
      while ((await world.agent.work(20)).length > 0);
      t.same(await load(world), { in_flight: 0, queued: 0 });
      t.equal((await runsOf(world)).filter(({ status }) => status === 'waiting').length, 15);
      const { org_id, project_id } = world.scope;
      const [, second] = parked;
      await world.runs.cancelRun({ org_id, project_id, run_id: second!.run_id, reason: 'enough' });
    }),
  );

  t.test(`${store}: untrusted runs that wake together take no more places than theirs`, (t) =>
    withWorld(t, async (world) => {
      await world.set('outsider', { on: ['from.outside'] });
      await world.set('mine', { on: ['mine'] });
      const woken: Claimed[] = [];
      for (let n = 0; n < 20; n++) {
        await world.emit({ ...TICK, type: 'from.outside', trusted: false });
        const [claim] = await world.agent.claim(1);
        await world.runs.park(claim!, wait);
        woken.push(claim!);
      }
      for (const { run_id } of woken) await signal(world, run_id);
      t.same(await load(world), { in_flight: 20, queued: 0 });
      for (let n = 0; n < 12; n++) await world.emit({ type: 'mine' });
      t.same(await load(world), { in_flight: 32, queued: 0 });
      await t.rejects(world.emit({ type: 'mine' }), { code: 'handlers_in_flight', message: /while 16 are in flight/ });
      await world.emit({ ...TICK, type: 'from.outside', trusted: false });
      t.same(await load(world), { in_flight: 32, queued: 1 });
      while ((await world.agent.work(20)).length > 0);
      t.same(await load(world), { in_flight: 0, queued: 0 });
    }),
  );

  t.test(`${store}: untrusted runs that wait are bounded, and take nothing from trusted ones`, (t) =>
    withWorld(
      t,
      async (world) => {
        const { org_id, project_id } = world.scope;
        await world.set('outsider', { on: ['from.outside'] });
        await world.set('mine', { on: ['mine'] });
        const outside = { ...TICK, type: 'from.outside', trusted: false };
        const parked: Claimed[] = [];
        for (let n = 0; n < 6; n++) {
          await world.emit(outside);
          const [claim] = await world.agent.claim(1);
          await world.runs.park(claim!, wait);
          parked.push(claim!);
        }
        await world.emit(outside);
        const { event_id } = await world.emit(outside);
        const why =
          'a project can have at most 6 untrusted handler runs open, including those that wait (SVC_UNTRUSTED_PROJECT_LIMITS)';
        t.same((await deliveriesOf(world)).slice(-2), [`outsider queued ${why}`, `outsider queued ${why}`]);
        t.same(await load(world), { in_flight: 0, queued: 2 });
        await assertInvariants(t, world);
        t.match(await world.try({ ...world, expressions: world.use(Expressions) }, 'outsider', event_id), {
          outcome: 'queue',
          reason: `a run would start when a slot is free: ${why}`,
        });

        for (let n = 0; n < 3; n++) await world.emit({ type: 'mine' });
        t.same(await load(world), { in_flight: 3, queued: 2 }, 'trusted ones pass');
        while ((await world.agent.work(20)).length > 0);
        t.same(await load(world), { in_flight: 0, queued: 2 });

        t.match(await signal(world, parked[0]!.run_id), { state: 'taken' });
        t.same(await load(world), { in_flight: 1, queued: 2 }, 'one that goes on is not held back, and still open');
        await assertInvariants(t, world);
        await world.agent.work(1);
        t.same(await load(world), { in_flight: 1, queued: 1 }, 'the first that waits has begun in its place');
        for (const { run_id } of parked.slice(1))
          await world.runs.cancelRun({ org_id, project_id, run_id, reason: 'enough' });
        t.same(await load(world), { in_flight: 2, queued: 0 });
        while ((await world.agent.work(20)).length > 0);
      },
      { env: { SVC_UNTRUSTED_PROJECT_LIMITS: 'handlers=6' } },
    ),
  );

  t.test(`${store}: a run that begins to wait leaves its place to a delivery that waits for one`, (t) =>
    withWorld(
      t,
      async (world) => {
        for (let n = 0; n < 16; n++) await world.set(`ask-${n}`, { on: ['ask'] });
        await world.set('after', { on: ['tick'] });
        await world.emit({ type: 'ask' });
        await world.emit(TICK);
        t.same(await load(world), { in_flight: 16, queued: 1 });
        const [first] = await world.agent.claim(1);
        await world.runs.park(first!, wait);
        await until(async () => (await load(world)).queued === 0, { what: 'the delivery to start' });
        t.same(await load(world), { in_flight: 16, queued: 0 });
        t.equal((await deliveriesOf(world)).at(-1), 'after delivered');
      },
      { idle: false },
    ),
  );

  t.test(`${store}: a run is in flight while something of it is queued or running`, (t) =>
    withWorld(
      t,
      async (world) => {
        const nodes = [
          { id: 'approved', type: 'wait_signal', config: { name: 'go' } },
          { id: 'build', type: 'shell', config: { script: 'true' } },
          { id: 'ship', type: 'shell', config: { script: 'true' } },
        ];
        const edges = [{ from: 'approved', to: 'ship' }];
        await world.set('flow', { source: JSON.stringify({ version: 'svc-graph/v1', nodes, edges }) });
        await world.set('approval', {
          source: JSON.stringify({ version: 'svc-graph/v1', nodes: nodes.slice(0, 1), edges: [] }),
        });
        await world.emit();
        t.same(await load(world), { in_flight: 1, queued: 0 }, 'a graph that waits from its beginning is not');
        await assertInvariants(t, world);
        const agent = new StandInAgent(world.use, { org_id: world.scope.org_id, capabilities: ['linux', 'bash'] });
        const [build] = await agent.claim(5);
        t.same(await load(world), { in_flight: 1, queued: 0 });
        await agent.end(build!);
        t.same(await load(world), { in_flight: 0, queued: 0 });
        await assertInvariants(t, world);
        await signal(world, build!.run_id);
        t.same(await load(world), { in_flight: 1, queued: 0 });
        t.equal((await agent.work(5)).length, 1);
        t.same(await load(world), { in_flight: 0, queued: 0 });
        const { org_id, project_id } = world.scope;
        for (const { run_id, status } of await runsOf(world))
          if (status === 'waiting') await world.runs.cancelRun({ org_id, project_id, run_id, reason: 'enough' });
      },
      { plugins: ['graphs'] },
    ),
  );

  t.test(`${store}: and while a child of it is`, (t) =>
    withWorld(
      t,
      async (world) => {
        await world.set('parent', {});
        await world.emit();
        const [parent] = await world.agent.claim(1);
        const { position: _, ...call } = wait;
        const args = { name: 'child', argv: ['true'], requires: [] };
        await world
          .use(RunStore)
          .perform(parent!, { ...call, position: 0, kind: 'activity-submit', name: 'child', args });
        await world.runs.park(parent!, { ...wait, position: 1 });
        t.match((await runsOf(world))[0], { status: 'waiting' });
        t.same(await load(world), { in_flight: 1, queued: 0 });
        await assertInvariants(t, world);
        const [child] = await world.agent.claim(1);
        t.same(await load(world), { in_flight: 1, queued: 0 });
        await world.agent.end(child!, { status: 'succeeded', output: { exit_code: 0, stdout: '' } });
        t.same(await load(world), { in_flight: 0, queued: 0 });
        await assertInvariants(t, world);
        await signal(world, parent!.run_id);
        t.same(await load(world), { in_flight: 1, queued: 0 });
        await world.agent.work(1);
      },
      { plugins: ['children'] },
    ),
  );

  t.test(`${store}: what is left in the queue beside a free place is found`, (t) =>
    withWorld(
      t,
      async (world) => {
        const claims = await parkAll(world);
        for (const { run_id } of claims) await signal(world, run_id);
        await world.set('after', { on: ['tick'] });
        await world.emit(TICK);
        t.same(await load(world), { in_flight: 16, queued: 1 });
        // As a run that began to wait while the delivery was being queued: neither saw the other.
        await world.database.write('UPDATE handlers_runs SET waiting = 1 WHERE run_id = ?', [claims[0]!.run_id]);
        await until(async () => (await load(world)).queued === 0, { what: 'the delivery to start' });
        await world.database.write('UPDATE handlers_runs SET waiting = NULL WHERE run_id = ?', [claims[0]!.run_id]);
        while ((await world.agent.work(20)).length > 0);
      },
      { idle: false },
    ),
  );

  t.test(`${store}: at its limit of open runs a project records what it does not start`, (t) =>
    withWorld(
      t,
      async (world) => {
        await world.set('one', {});
        await world.set('two', {});
        await world.emit({ ...TICK, type: 'deploy.done' });
        t.match(await deliveriesOf(world), ['one delivered', 'two delivered']);
        await world.emit({ ...TICK, type: 'deploy.done' });
        t.match((await deliveriesOf(world)).slice(-2), [/^one refused run_limit: the project has 2/, /^two refused/]);
        t.equal((await runsOf(world)).length, 2);
      },
      { env: { SVC_MAX_OPEN_RUNS: '2' } },
    ),
  );
}
