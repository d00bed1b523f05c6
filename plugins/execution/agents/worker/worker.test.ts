import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { Errors } from '../../../../kernel/contracts/index.ts';
import type { PassEnd } from '../contract.ts';
import { recordAt, siteAt, succeeded, TestExecutor, type TestPass, testAgent } from '../testing/agent.ts';
import { inMemory } from '../testing/in-memory.ts';
import { TestServer } from '../testing/server.ts';
import { Wire } from '../testing/wire.ts';
import { until } from '../../../../test/kit/index.ts';

t.test('an activity runs, records, logs in order, annotates and completes', async (t) => {
  const { server, store, worker, executor, stop } = await inMemory();
  t.teardown(stop);
  store.add('a');
  server.wakeups.work();
  await until(() => executor.passes.length === 1);
  const { host, assignment, end } = executor.passes[0]!;
  t.match(assignment, {
    activity_id: 'a',
    epoch: 1,
    pass: 0,
    lease_ms: 5000,
    environment: { below: [], workflow: {}, above: [] },
  });
  t.match(host.agent, { id: /^agt_/, name: 'agent', workdir: '/', runtime_dir: '/nowhere' });
  t.ok(host.hasClaim!());
  await host.append(recordAt(0));
  t.match(await host.perform({ ...siteAt(1), args: { op: 'get' } }), { position: 1 });
  await host.annotate(0, '# note');
  for (let n = 0; n < 500; n += 1) host.log(n % 7 ? 'stdout' : 'stderr', Buffer.from(`line ${n}\n`));
  end(succeeded);
  await until(() => store.get('a').state === 'done');
  const { logs } = store.get('a');
  const lines = logs.map(({ data }) => Buffer.from(data, 'base64').toString()).join('');
  t.equal(
    lines,
    Array.from({ length: 500 }, (_, n) => `line ${n}\n`).join(''),
    'in order, and all before the completion',
  );
  t.ok(logs.length < 200, 'neighbours are joined');
  await until(() => worker.status().busy === 0);
  t.match(worker.status(), {
    connected: true,
    draining: false,
    slots: 8,
    capabilities: ['http', 'linux', 'svc:pauses', 'testing', 'x64'],
  });
});

t.test('1,000 assignments, then 9,000 more: nothing is kept', async (t) => {
  const play = async ({ host }: TestPass): Promise<PassEnd> => {
    await host.append(recordAt(0, 'x'.repeat(1000)));
    return succeeded;
  };
  const { server, store, worker, executor, stop } = await inMemory({ executor: new TestExecutor(play), slots: 32 });
  t.teardown(stop);
  const round = async (count: number) => {
    for (let n = 0; n < count; n += 1) store.add(`a${n}`);
    server.wakeups.work();
    await until(() => store.count('done') === count && worker.status().busy === 0);
    store.activities.clear();
    store.calls.length = 0;
    executor.passes.length = 0;
  };
  await round(1000);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  for (let n = 0; n < 9; n += 1) await round(1000);
  t.ok(heap() - before < 24 * 1024 * 1024, `grew by ${heap() - before} bytes`);
});

t.test(
  'a claim that the agent itself gives up is not lost, though a renewal in between says that it is gone',
  async (t) => {
    const { server, store, worker, executor, stop } = await inMemory({ lease_ms: 1200 });
    t.teardown(stop);
    const renewals = () => store.calls.filter((call) => call === 'renew').length;
    /** Answers only after a renewal has reported that the claim is lost. */
    const late = async <T>(work: Promise<T>): Promise<T> => {
      const answer = await work;
      const before = renewals();
      await until(() => renewals() > before);
      return answer;
    };
    const { park, complete, release } = store;
    store.park = (claim) => late(park.call(store, claim));
    store.complete = (claim, completion) => late(complete.call(store, claim, completion));
    store.release = (claim) => late(release.call(store, claim));
    for (const name of ['parks', 'completes', 'releases']) store.add(name);
    server.wakeups.work();
    await until(() => executor.passes.length === 3);
    const [parks, completes, releases] = executor.passes;
    completes!.end(succeeded);
    releases!.end({ end: 'released' });
    t.same(await parks!.host.park({ ...siteAt(0), kind: 'sleep', args: {} }), { parked: true });
    parks!.end({ end: 'parked' });
    await until(() => worker.status().busy === 0 || executor.passes.length > 3);
    t.notMatch(server.log.lines.join('\n'), /a claim was lost/);
    t.equal(store.get('parks').state, 'parked');
    t.equal(store.get('completes').state, 'done');
    t.same([parks!.stopped, completes!.stopped], [undefined, undefined]);
  },
);

t.test('a revoked claim: the work is stopped and whatever it still says is refused', async (t) => {
  const { server, store, worker, executor, stop } = await inMemory();
  t.teardown(stop);
  store.add('a');
  server.wakeups.work();
  await until(() => executor.passes.length === 1);
  const { host } = executor.passes[0]!;
  store.get('a').state = 'failed';
  server.wakeups.revoked({ activity_id: 'a', epoch: 1, agent_id: worker.status().agent_id!, reason: 'cancelled' });
  await until(() => executor.passes[0]!.stopped === 'revoked');
  t.notOk(host.hasClaim!());
  await t.rejects(host.append(recordAt(0)), { code: 'lease_lost' });
  await until(() => worker.status().busy === 0);
  t.notOk(store.calls.includes('append'));
});

t.test('a claim that another server took away is found by renewing', async (t) => {
  const { server, store, worker, executor, stop } = await inMemory({ lease_ms: 3000 });
  t.teardown(stop);
  store.add('a');
  store.add('b');
  server.wakeups.work();
  await until(() => executor.passes.length === 2);
  store.get('a').epoch = 7;
  await until(() => executor.passes[0]!.stopped === 'revoked');
  await until(() => worker.status().busy === 1);
  t.equal(executor.passes[1]!.stopped, undefined, 'the other one goes on');
});

t.test(
  'cut off for a lease: the agent ends its work before another may have it, and nothing stale is accepted',
  async (t) => {
    const lease_ms = 3000;
    const server = await new TestServer({ lease_ms }).start();
    const wire = new Wire(() => server.port);
    const agent = testAgent({ port: await wire.start(), name: 'lost' });
    const other = testAgent({ port: server.port, token: 'svc_agt_two' });
    t.teardown(async () => {
      wire.cut();
      await Promise.all([agent.worker.stop(), other.worker.stop()]);
      await wire.stop();
      await server.stop();
    });
    await agent.worker.start();
    server.store.add('a');
    server.wakeups.work();
    await until(() => agent.executor.passes.length === 1);
    const { host } = agent.executor.passes[0]!;
    await until(() => server.store.calls.filter((call) => call === 'renew').length >= 3);
    wire.die();
    const appended = t.rejects(host.append(recordAt(0)), { code: 'lease_lost' }, 'refused without the server');
    let stopped_at = 0;
    await until(() => {
      if (agent.executor.passes[0]!.stopped) stopped_at = performance.now();
      return stopped_at > 0;
    });
    t.ok(stopped_at < server.store.get('a').deadline, 'before the lease ran out');
    await appended;
    await other.worker.start();
    await until(
      () =>
        (void server.store.expireClaims(), server.store.get('a').state === 'pending') ||
        other.executor.passes.length > 0,
    );
    server.wakeups.work();
    await until(() => other.executor.passes.length === 1);
    t.equal(other.executor.passes[0]!.assignment.epoch, 2);
    wire.cut();
    await until(() => agent.worker.status().connected);
    await other.executor.passes[0]!.host.append(recordAt(0, 'the other'));
    t.equal(server.store.get('a').journal.length, 1);
  },
);

t.test('drain: what ends within the grace is completed, the rest is given back at once', async (t) => {
  const { store, server, worker, executor, stop } = await inMemory({ grace_ms: 60_000 });
  t.teardown(stop);
  for (const id of ['quick', 'parks', 'slow']) store.add(id);
  server.wakeups.work();
  await until(() => executor.passes.length === 3);
  const [quick, parks, slow] = executor.passes as [TestPass, TestPass, TestPass];
  const stopping = worker.stop();
  store.add('late');
  server.wakeups.work();
  quick.end(succeeded);
  t.same(await parks.host.park({ ...siteAt(0), kind: 'sleep', args: {} }), { parked: true });
  parks.end({ end: 'parked' });
  await until(() => worker.status().busy === 1);
  t.equal(slow.stopped, undefined, 'still within the grace');
  t.same([executor.drained, executor.closed], [1, 0], 'the executor knows that nothing more comes');
  slow.end({ end: 'released' });
  await stopping;
  t.same(
    [...store.activities.values()].map(({ activity_id, state }) => [activity_id, state]),
    [
      ['quick', 'done'],
      ['parks', 'parked'],
      ['slow', 'pending'],
      ['late', 'pending'],
    ],
  );
  t.equal(executor.closed, 1, 'the executor is closed after the last pass');
});

t.test('a claim is not given back before the records under way are stored', async (t) => {
  const { store, server, executor, stop } = await inMemory();
  t.teardown(stop);
  const stored = Promise.withResolvers<void>();
  const append = store.append.bind(store);
  store.append = async (claim, record) => {
    await stored.promise;
    return append(claim, record);
  };
  store.add('a');
  server.wakeups.work();
  await until(() => executor.passes.length === 1);
  const { host, end } = executor.passes[0]!;
  const records = Promise.all([host.append(recordAt(0)), host.append(recordAt(1))]);
  end({ end: 'released' });
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  t.notOk(store.calls.includes('release'));
  stored.resolve();
  await records;
  await until(() => store.calls.includes('release'));
  t.equal(store.get('a').journal.length, 2);
});

t.test('drain without a grace, and over a socket', async (t) => {
  const server = await new TestServer().start();
  const agent = testAgent({ port: server.port });
  t.teardown(() => server.stop());
  server.store.add('a');
  await agent.worker.start();
  await until(() => agent.executor.passes.length === 1);
  agent.executor.passes[0]!.host.log('stdout', Buffer.from('last words'));
  await agent.worker.stop();
  t.equal(agent.executor.passes[0]!.stopped, 'draining');
  t.equal(server.store.get('a').state, 'pending');
  t.equal(Buffer.from(server.store.get('a').logs[0]!.data, 'base64').toString(), 'last words');
  await until(() => server.sessions.size === 0);
});

t.test('a server that cannot just now is asked again; one that fails for ever is not', async (t) => {
  const { store, server, worker, executor, stop } = await inMemory();
  t.teardown(stop);
  store.add('a');
  server.wakeups.work();
  await until(() => executor.passes.length === 1);
  const { host, end } = executor.passes[0]!;
  store.failure = Errors.unavailable('the database is away');
  const appended = host.append(recordAt(0));
  await until(() => store.calls.filter((call) => call === 'append').length >= 3);
  store.failure = undefined;
  await appended;
  store.failure = new Error('a fault of the server');
  await t.rejects(host.append(recordAt(1)), { code: 'internal' });
  store.failure = undefined;
  end({ end: 'completed', completion: { status: 'succeeded', output: {} } });
  await until(() => worker.status().busy === 0);
  t.equal(store.get('a').state, 'done');
});

t.test('an executor that throws gets its activity again, and fails it at the third time', async (t) => {
  const executor = new TestExecutor(() => Promise.reject(new Error('no spawner')));
  const { store, server, stop } = await inMemory({ executor });
  t.teardown(stop);
  store.add('a');
  server.wakeups.work();
  await until(() => store.get('a').state === 'failed');
  t.equal(executor.passes.length, 3);
  t.match(store.get('a').completion, { code: 'executor_failed', message: /failed 3 times on agent agent: no spawner/ });
});

t.test('what is interrupted is carried out again, and fails at the 25th time without a new record', async (t) => {
  const otherwise = { status: 'failed', code: 'script_killed', message: 'again and again' } as const;
  const at = (nth: number) => (nth < 24 ? 0 : 1);
  const executor: TestExecutor = new TestExecutor(async () => ({
    ...{ end: 'interrupted', at: at(executor.passes.length - 1), otherwise },
  }));
  const { store, server, stop } = await inMemory({ executor });
  t.teardown(stop);
  store.add('a');
  server.wakeups.work();
  await until(() => store.get('a').state === 'failed');
  t.equal(executor.passes.length, 24 + 25);
  t.match(store.get('a').completion, otherwise);
});

t.test('an agent without the executor fails the activity and says what is missing', async (t) => {
  const executor = new TestExecutor();
  Object.assign(executor, { executor: 'other' });
  const { store, server, stop } = await inMemory({ executor });
  t.teardown(stop);
  store.add('a');
  server.wakeups.work();
  await until(() => store.get('a').state === 'failed');
  t.match(store.get('a').completion, { code: 'executor_missing', message: /no executor "test"/ });
});

t.test('an activity claimed anew by the same agent starts after its old pass has ended', async (t) => {
  const { server, store, worker, executor, stop } = await inMemory();
  t.teardown(stop);
  const ended = Promise.withResolvers<PassEnd>();
  const start = executor.start.bind(executor);
  executor.start = (assignment, host) => {
    const pass = start(assignment, host);
    return assignment.epoch === 1 ? { result: ended.promise, stop: pass.stop } : pass;
  };
  store.add('a');
  server.wakeups.work();
  await until(() => executor.passes.length === 1);
  store.get('a').state = 'pending';
  server.wakeups.revoked({ activity_id: 'a', epoch: 1, agent_id: worker.status().agent_id!, reason: 'expired' });
  server.wakeups.work();
  await until(() => store.get('a').epoch === 2 && worker.status().busy === 2);
  t.equal(executor.passes.length, 1, 'the old one is still on its way out');
  ended.resolve({ end: 'lost' });
  await until(() => executor.passes.length === 2);
  executor.passes[1]!.end(succeeded);
  await until(() => store.get('a').state === 'done');
});
