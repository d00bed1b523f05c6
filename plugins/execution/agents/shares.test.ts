import t from 'tap';
import { cancelUnlessOver, RunStore } from '../../engine/runs/contract.ts';
import { STORES, until } from '../../../test/kit/index.ts';
import type { AgentHello } from './contract.ts';
import { newInstance, openWaitingWork } from './testing/waiting-work.ts';

t.setTimeout(600_000);

/** What an agent is given where trusted and untrusted work wait for it. */
// @store: shares are kept by the statements that claim.
for (const store of STORES)
  t.test(`shares of an agent, on ${store}`, { timeout: 600_000 }, async (t) => {
    const { server, scopeOf, ...work } = await openWaitingWork(t, store);
    const submitted: string[] = [];
    const submit = async (trusted: boolean) => {
      const run_id = await work.submit('main', { trusted });
      submitted.push(run_id);
      return run_id;
    };
    /** Cancels what no agent has ended, for the next test. */
    const clear = async () => {
      const scope = await scopeOf('main');
      for (const run_id of submitted.splice(0))
        await cancelUnlessOver(server.use(RunStore), { ...scope, run_id, reason: 'the test is over' });
    };
    const many = async (count: number, trusted: boolean) => {
      const runs: string[] = [];
      for (let n = 0; n < count; n += 1) runs.push(await submit(trusted));
      return runs;
    };
    const connect = async (given: Partial<AgentHello>) => {
      const agent = await work.connect(given);
      return {
        ...agent,
        untrusted: () => agent.assigned().filter(({ trusted }) => !trusted).length,
        async leave() {
          await agent.ask('ready', { free: 0 });
          for (const claim of agent.held()) await agent.complete(claim);
          await agent.close();
        },
      };
    };

    await t.test('trusted work goes first, and untrusted work takes half of the slots at most', async (t) => {
      await many(6, false);
      const trusted = await many(2, true);
      const agent = await connect({ slots: 4 });
      await agent.ask('ready', { free: 1 });
      await until(() => agent.assigned().length === 1);
      t.equal(agent.assigned()[0]!.run_id, trusted[0], 'the oldest trusted run, although older work waits');
      await agent.ask('ready', { free: 3, seen: 1 });
      await agent.has(trusted[1]!);
      await until(() => agent.untrusted() === 2);
      await agent.complete(agent.assigned()[0]!);
      await agent.ask('ready', { free: 1, seen: 4 });
      const later = await submit(true);
      await agent.has(later);
      t.equal(agent.untrusted(), 2, 'a free slot waited for trusted work');
      const done = agent.assigned().find((one) => !one.trusted)!;
      await agent.complete(done);
      await agent.ask('ready', { free: 1, seen: 5 });
      await until(() => agent.untrusted() === 3);
      await agent.leave();
      await clear();
    });

    await t.test('runs that begin in the transaction of their submit share alike', async (t) => {
      const agent = await connect({ slots: 4 });
      await agent.ask('ready', { free: 4 });
      await many(6, false);
      const trusted = await many(2, true);
      for (const run of trusted) await agent.has(run);
      await until(() => agent.untrusted() >= 2);
      t.equal(agent.untrusted(), 2);
      await agent.leave();
      await clear();
    });

    await t.test('what an agent still holds when it connects again counts', async (t) => {
      const instance = newInstance();
      const first = await connect({ slots: 4, instance });
      await first.ask('ready', { free: 4 });
      await many(4, false);
      await until(() => first.untrusted() === 2);
      await first.close();
      const holding = first.assigned().map(({ activity_id, epoch }) => ({ activity_id, epoch }));
      const second = await connect({ slots: 4, instance, holding });
      await second.ask('ready', { free: 2 });
      await second.has(await submit(true));
      t.equal(second.untrusted(), 0);
      for (const claim of first.assigned()) await second.complete(claim);
      await second.leave();
      await clear();
    });

    await t.test(
      'an agent for outsiders gives them all of its slots, one with a single slot gives it too',
      async (t) => {
        await many(3, false);
        const only = await connect({ slots: 2, isolation: { untrusted: 'only' } });
        await only.ask('ready', { free: 2 });
        await until(() => only.untrusted() === 2);
        const single = await connect({ slots: 1 });
        await single.ask('ready', { free: 1 });
        await until(() => single.untrusted() === 1);
        await only.leave();
        await single.leave();
        t.equal(only.untrusted() + single.untrusted(), 3);
      },
    );
  });
