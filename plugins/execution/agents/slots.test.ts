import t, { type Test } from 'tap';
import { Database, Ids } from '../../../kernel/contracts/index.ts';
import { Activities } from '../../engine/runs/contract.ts';
import { type Store, STORES, until } from '../../../test/kit/index.ts';
import { newInstance, openWaitingWork } from './testing/waiting-work.ts';

t.setTimeout(600_000);

async function open(t: Test, store: Store, env: Record<string, string>) {
  const { server, scopeOf, submit, connect } = await openWaitingWork(t, store, env);
  return {
    /** A run with its first activity and so many further jobs, all of which wait for an agent. */
    async submit({ trusted = true, jobs = 0, project = 'main' } = {}): Promise<string> {
      const run_id = await submit(project, { trusted });
      const scope = await scopeOf(project);
      const more = Array.from({ length: jobs }, (_, n) => ({
        ...{ activity_id: server.use(Ids).next('act'), name: `job-${n}`, executor: 'script', spec: null },
        requires: [],
      }));
      if (jobs > 0)
        await server.use(Database).transaction((tx) => server.use(Activities).add(tx, { ...scope, run_id }, more));
      return run_id;
    },
    connect,
  };
}

// @store: slots are counted by the statements that claim.
for (const store of STORES) {
  t.test(`a run and a project hold so many slots at once, on ${store}`, { timeout: 600_000 }, async (t) => {
    const { submit, connect } = await open(t, store, {
      SVC_RUN_LIMITS: 'slots=2',
      SVC_PROJECT_LIMITS: 'slots=3',
    });
    const wide = await submit({ jobs: 40 });
    const next = await submit();
    const last = await submit({ project: 'other' });
    const agent = await connect({ slots: 16 });
    await agent.ask('ready', { free: 16 });
    await agent.has(last);
    await agent.has(next);
    await agent.has(wide, 2);
    t.equal(agent.held(wide).length, 2, 'what stands behind forty jobs of one run was claimed at once');

    const later = await submit();
    const elsewhere = await submit({ project: 'other' });
    await agent.has(elsewhere);
    t.same(agent.held(later), [], 'its project has three');
    await agent.complete(agent.held(next)[0]!);
    await agent.has(later);
    await agent.complete(agent.held(later)[0]!);

    for (let count = 3; count <= 12; count += 1) {
      await agent.complete(agent.held(wide)[0]!);
      await agent.has(wide, count);
      t.equal(agent.held(wide).length, 2, 'a free slot was filled again, with one');
    }
  });

  t.test(`what an agent still holds when it connects again counts, on ${store}`, { timeout: 600_000 }, async (t) => {
    const { submit, connect } = await open(t, store, { SVC_RUN_LIMITS: 'slots=2' });
    const instance = newInstance();
    const first = await connect({ slots: 8, instance });
    const run = await submit({ jobs: 8 });
    await first.ask('ready', { free: 8 });
    await first.has(run, 2);
    const held = first.held(run);
    await first.close();
    const holding = held.map(({ activity_id, epoch }) => ({ activity_id, epoch }));
    const second = await connect({ slots: 8, instance, holding });
    await second.ask('ready', { free: 6 });
    const other = await connect({ slots: 8 });
    await other.ask('ready', { free: 8 });
    const behind = [await submit(), await submit()];
    await until(() => behind.every((id) => [...second.held(id), ...other.held(id)].length === 1));
    t.same([...second.held(run), ...other.held(run)], []);
    await second.complete(held[0]!);
    await until(() => second.held(run).length + other.held(run).length === 1);
  });

  t.test(`runs that begin in the transaction of their submit count alike, on ${store}`, async (t) => {
    const { submit, connect } = await open(t, store, { SVC_PROJECT_LIMITS: 'slots=3' });
    const agent = await connect({ slots: 16 });
    await agent.ask('ready', { free: 16 });
    const runs = await Promise.all(Array.from({ length: 8 }, () => submit()));
    await agent.has(await submit({ project: 'other' }));
    await until(() => runs.filter((run) => agent.held(run).length > 0).length === 3);
    for (let count = 4; count <= runs.length; count += 1) {
      await agent.complete(agent.held().find(({ run_id }) => runs.includes(run_id))!);
      await until(() => runs.filter((run) => agent.assigned().some(({ run_id }) => run_id === run)).length === count);
      t.ok(runs.filter((run) => agent.held(run).length > 0).length <= 3);
    }
  });

  t.test(`without settings an untrusted run leaves slots to others, on ${store}`, async (t) => {
    const { submit, connect } = await open(t, store, {});
    const stranger = await submit({ trusted: false, jobs: 30 });
    const neighbour = await submit({ trusted: false });
    const only = await connect({ slots: 32, isolation: { untrusted: 'only' } });
    await only.ask('ready', { free: 32 });
    await only.has(neighbour);
    await only.has(stranger, 4);
    t.equal(only.held(stranger).length, 4);
    const own = await submit({ jobs: 30 });
    const agent = await connect({ slots: 32 });
    await agent.ask('ready', { free: 32 });
    await agent.has(own, 31);
    t.equal(only.held(stranger).length + agent.held(stranger).length, 4);
  });
}
