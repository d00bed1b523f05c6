import t from 'tap';
import { InstantWorker, STORES, until } from '../../../test/kit/index.ts';
import { InstantClaims, RunStore } from '../runs/contract.ts';
import { FlowServer, set, shell } from './testing/flow-server.ts';

for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const flows = await FlowServer.openFor(t, { store });
    const joined = (over: Partial<InstantWorker> = {}) => {
      const claimer = Object.assign(new InstantWorker(), over);
      return { claimer, leave: flows.server.use(InstantClaims).join(claimer) };
    };

    t.test('what somebody here has room for is claimed in the transaction that adds it', async (t) => {
      const { claimer, leave } = joined();
      const run_id = await flows.submit({ nodes: [shell('a'), shell('b', { needs: ['a'] })] }, { n: 1 });
      t.equal((await flows.read(run_id)).status, 'running');
      t.same(await flows.claim(), [], 'nobody else can claim it');
      const [a] = await claimer.take();
      t.match(a, {
        run_id,
        name: 'a',
        executor: 'script',
        epoch: 1,
        pass: 0,
        trusted: true,
        journal: [],
        spec: { filename: 'a.sh' },
        envelope: { type: 'manual', input: { n: 1 } },
      });
      await flows.end(a!);
      const [b] = await claimer.take();
      t.equal(b!.name, 'b');
      leave();
      await flows.end(b!);
      t.equal((await flows.read(run_id)).status, 'succeeded');
    });

    t.test('without room, or for others, it is claimed as usual', async (t) => {
      const cases: [Partial<InstantWorker>, number][] = [
        [{ room: 1 }, 1],
        [{ room: 0 }, 0],
        [{ executors: ['http'] }, 0],
        [{ capabilities: ['gpu'] }, 0],
        [{ org_id: 'org_other' }, 0],
        [{ org_id: flows.server.scope.org_id }, 2],
      ];
      for (const [over, here] of cases) {
        const { claimer, leave } = joined(over);
        const run_id = await flows.submit({ nodes: [shell('a'), shell('b')] });
        const taken = await claimer.take();
        const rest = await flows.claim();
        t.same([taken.length, rest.length], [here, 2 - here], JSON.stringify(over));
        for (const claim of [...taken, ...rest]) await flows.end(claim);
        t.equal((await flows.read(run_id)).status, 'succeeded');
        leave();
      }
    });

    t.test('what was claimed and not begun expires, and goes to somebody else', async (t) => {
      const { claimer, leave } = joined({ lease_ms: 1 });
      const run_id = await flows.submit({ nodes: [shell('a')] });
      const [lost] = await claimer.take();
      leave();
      await until(async () => (await flows.server.use(RunStore).expireClaims(10)) === 1);
      const [again] = await flows.claim();
      t.match(again, { activity_id: lost!.activity_id, epoch: 2 });
      await t.rejects(flows.end(lost!), { code: 'lease_lost' });
      await flows.end(again!);
      t.equal((await flows.read(run_id)).status, 'succeeded');
    });

    t.test('a transaction that fails claims nothing', async (t) => {
      // Its place is kept for a moment.
      const { claimer, leave } = joined({ room: 2 });
      await t.rejects(flows.submit({ nodes: [shell('a'), set('a')] }));
      const run_id = await flows.submit({ nodes: [shell('a')] });
      const [a] = await claimer.take();
      await flows.end(a!);
      t.equal((await flows.read(run_id)).status, 'succeeded');
      leave();
    });
  });
