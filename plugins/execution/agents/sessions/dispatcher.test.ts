import t from 'tap';
import { Errors, ServiceError } from '../../../../kernel/contracts/index.ts';
import { succeeded, TestExecutor, testWorker } from '../testing/agent.ts';
import { BUILTIN, inMemory } from '../testing/in-memory.ts';
import { TestServer } from '../testing/server.ts';
import type { InstantClaimer } from '../../../engine/runs/contract.ts';
import { MemoryLink } from '../worker/memory-link.ts';
import { until } from '../../../../test/kit/index.ts';

t.test('a job whose environment is refused fails; one whose environment is not there yet waits', async (t) => {
  const refusal = new ServiceError({ code: 'credential_missing', status: 422, title: 'x', next: 'y' }, 'no credential');
  let answers: (Error | undefined)[] = [refusal, Errors.unavailable('not now'), undefined];
  const environment = async () => {
    const [next, ...rest] = answers;
    answers = rest;
    if (next) throw next;
    return { below: [], workflow: {}, above: [] };
  };
  const server = new TestServer({ environments: { environment } });
  await server.sessions.start();
  const executor = new TestExecutor(async () => succeeded);
  const worker = testWorker({ link: new MemoryLink(server.sessions, BUILTIN), executor, slots: 1 });
  t.teardown(async () => {
    await worker.stop();
    await server.sessions.stop();
  });
  server.store.add('refused');
  await worker.start();
  await until(() => server.store.get('refused').state === 'failed');
  t.match(server.store.get('refused').completion, { code: 'credential_missing' });
  server.store.add('later');
  server.wakeups.work();
  await until(() => server.store.get('later').state === 'done');
  t.equal(server.store.get('later').epoch, 2, 'given back and claimed again');
});

t.test('the queue is polled where nobody tells of work, and a database that fails is survived', async (t) => {
  const { store, server, executor, stop } = await inMemory({ executor: new TestExecutor(async () => succeeded) });
  t.teardown(stop);
  store.failure = new Error('gone');
  server.wakeups.work();
  await until(() => server.sessions.dispatcher.failing === 'gone');
  store.add('a');
  store.failure = undefined;
  await until(() => store.get('a').state === 'done');
  t.equal(server.sessions.dispatcher.failing, undefined);
  t.equal(executor.passes.length, 1);
});

t.test('new work is taken at once only where nothing older waits', async (t) => {
  const claimers: InstantClaimer[] = [];
  const instant = {
    join: (claimer: InstantClaimer) => {
      claimers.push(claimer);
      return () => undefined;
    },
  };
  const server = new TestServer({ instant });
  await server.sessions.start();
  const gates = new Map<string, () => void>();
  const executor = new TestExecutor(async ({ assignment }) => {
    await new Promise<void>((resolve) => gates.set(assignment.activity_id, resolve));
    return succeeded;
  });
  const worker = testWorker({ link: new MemoryLink(server.sessions, BUILTIN), executor, slots: 2 });
  t.teardown(async () => {
    for (const open of gates.values()) open();
    await worker.stop();
    await server.sessions.stop();
  });
  await worker.start();
  const [claimer] = claimers;
  await until(() => claimer!.room === 2);
  server.store.add('a');
  server.store.add('b');
  server.store.add('c');
  server.wakeups.work();
  t.equal(claimer!.room, 0, 'work was announced, and nobody has looked');
  await until(() => gates.size === 2);
  const rooms: number[] = [];
  const { claim } = server.store;
  server.store.claim = (...args) => {
    rooms.push(claimer!.room);
    return claim.apply(server.store, args);
  };
  gates.get('a')!();
  await until(() => gates.has('c'));
  t.same(new Set(rooms), new Set([0]), 'the place is not given to new work before');
  gates.get('b')!();
  await until(() => claimer!.room === 1);
  t.equal(claimer!.load, 0.5);
});
