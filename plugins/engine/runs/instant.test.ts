import t from 'tap';
import { type EngineServer, checkRuns, InstantWorker, SCOPE, STORES, withEngine } from '../../../test/kit/index.ts';
import { Database, Sealer } from '../../../kernel/contracts/index.ts';
import { OPERATOR } from '../../platform/audit/contract.ts';
import { InstantClaims, RunEngine, RunStore, WaitResolver } from './contract.ts';
import { makeReruns } from './service/register.ts';

const LINUX_SCRIPT = { requires: ['linux'] };

const submitted = async (world: EngineServer, more: Parameters<EngineServer['submit']>[0] = {}) =>
  world.use(RunEngine).submit(world.submit({ ...LINUX_SCRIPT, ...more }));

function joined(world: EngineServer, over: Partial<InstantWorker> = {}) {
  const worker = Object.assign(new InstantWorker(), over);
  return { worker, leave: world.use(InstantClaims).join(worker) };
}

const end = (world: EngineServer, { activity_id, epoch }: { activity_id: string; epoch: number }) =>
  world.use(RunStore).complete({ activity_id, epoch }, { status: 'succeeded', output: null });

for (const store of STORES) {
  t.test(`${store}: a new run begins in the transaction that makes it`, (t) =>
    withEngine({ store }, async (world) => {
      const { worker } = joined(world);
      const { run_id, status } = await submitted(world, { input: { n: 1 } });
      t.equal(status, 'queued', 'as it was submitted');
      t.equal((await world.use(RunEngine).read(SCOPE, run_id)).status, 'running');
      const [claim, ...more] = await worker.take();
      t.match(claim, {
        run_id,
        epoch: 1,
        pass: 0,
        journal: [],
        spec: { source: 'true' },
        envelope: { input: { n: 1 } },
      });
      t.same([more, await world.agent.claim()], [[], []], 'nobody else can claim it');
      await end(world, claim!);
      t.equal((await world.use(RunEngine).read(SCOPE, run_id)).status, 'succeeded');
      t.same(await checkRuns(world.use(Database)), [], 'announced as started and ended, once');
    }),
  );

  t.test(`${store}: a repeat is not handed over again`, (t) =>
    withEngine({ store }, async (world) => {
      const { worker } = joined(world);
      const once = { idempotency_key: 'once' };
      const answers = await Promise.all([submitted(world, once), submitted(world, once), submitted(world, once)]);
      t.equal(new Set(answers.map(({ run_id }) => run_id)).size, 1);
      t.equal((await worker.take()).length, 1);
      t.same(await world.agent.claim(), []);
    }),
  );

  t.test(`${store}: without room, or for others, it waits as usual`, (t) =>
    withEngine({ store }, async (world) => {
      for (const over of [{ room: 0 }, { executors: ['http'] }, { capabilities: [] }, { org_id: 'org_other' }]) {
        const { worker, leave } = joined(world, over);
        const { run_id } = await submitted(world);
        t.same(await worker.take(), [], JSON.stringify(over));
        t.equal((await world.use(RunEngine).read(SCOPE, run_id)).status, 'queued');
        await end(world, await world.claim());
        leave();
      }
    }),
  );

  t.test(`${store}: of several with room, the least loaded begins, and equals take turns`, (t) =>
    withEngine({ store }, async (world) => {
      const busy = joined(world, { agent_id: 'agt_busy', load: 0.5 }).worker;
      const idle = ['agt_a', 'agt_b'].map((agent_id) => joined(world, { agent_id }).worker);
      for (let n = 0; n < 4; n += 1) await submitted(world);
      t.same(
        (await Promise.all(idle.map((worker) => worker.take()))).map(({ length }) => length),
        [2, 2],
      );
      t.same(await busy.take(), []);
    }),
  );

  t.test(`${store}: transactions that are open at once do not count on one place`, (t) =>
    withEngine({ store }, async (world) => {
      const workers = ['agt_a', 'agt_b'].map((agent_id) => joined(world, { agent_id, room: 1 }).worker);
      await Promise.all(Array.from({ length: 8 }, () => submitted(world)));
      const parked = await world.agent.claim();
      const taken = (await Promise.all(workers.map((worker) => worker.take()))).map(({ length }) => length);
      t.same([...taken, parked.length], [1, 1, 6]);
    }),
  );

  t.test(`${store}: a rerun from a step is claimed when the records before it are there`, (t) =>
    withEngine({ store }, async (world) => {
      const first = await submitted(world);
      const claim = await world.claim();
      const record = { kind: 'step', digest: 'd', label: 'l', exit_code: 0, started_at: 7, output: '', ordinal: 0 };
      for (const [position, name] of ['a', 'b'].entries())
        await world.use(RunStore).append({ activity_id: claim.activity_id, epoch: 1 }, { ...record, position, name });
      await end(world, claim);
      const { worker } = joined(world);
      await makeReruns(world.use).rerun({ ...SCOPE, run_id: first.run_id, from: 'b', by: OPERATOR });
      t.same(await worker.take(), []);
      t.match((await world.claim()).journal, [{ name: 'a' }]);
    }),
  );

  t.test(`${store}: runs whose wait ended go on in the transaction that ended it, as far as there is room`, (t) =>
    withEngine({ store }, async (world) => {
      const made = [];
      for (const trusted of [true, false, true]) made.push(await submitted(world, { trusted, input: 'in' }));
      const parked = await world.agent.claim();
      for (const { activity_id, epoch } of parked) {
        const site = { position: 0, ordinal: 0, digest: '', args: null, started_at: 0 };
        await world.use(RunStore).park({ activity_id, epoch }, { ...site, kind: 'wait-signal', name: 'go' });
      }
      const { worker } = joined(world, { room: 2 });
      await world.use(Sealer).prepare(SCOPE.org_id);
      const waits = parked.map(({ run_id, activity_id }) => ({ run_id, activity_id, position: 0 }));
      const outcome = () => ({ exit_code: 0, output: Buffer.from('now') });
      await world.use(Database).transaction((tx) => world.use(WaitResolver).resolveAll(tx, waits, outcome));
      // An untrusted run asks for isolation, which this worker does not offer.
      const here = await worker.take();
      t.same(
        here.map(({ run_id }) => run_id),
        [made[0]!.run_id],
      );
      t.match(here, [
        { epoch: 2, pass: 1, trusted: true, envelope: { input: 'in' }, journal: [{ kind: 'wait-signal' }] },
      ]);
      const others = await world.agent.claim();
      t.same(others.map(({ run_id }) => run_id).sort(), [made[1]!.run_id, made[2]!.run_id].sort());
      for (const claim of [...here, ...others]) await end(world, claim);
      t.same(await checkRuns(world.use(Database)), []);
    }),
  );
}
