import t, { type Test } from 'tap';
import { Errors } from '../../../../kernel/contracts/index.ts';
import type { Assignment, ChannelFrame, PassEnd } from '../contract.ts';
import { recordAt, succeeded, TestExecutor, type TestPass, testAgent } from '../testing/agent.ts';
import { MemoryStore } from '../testing/memory-store.ts';
import { TestServer } from '../testing/server.ts';
import { Wire } from '../testing/wire.ts';
import { JournalAssembly } from './frames.ts';
import { PushQueue } from './push-queue.ts';
import { until } from '../../../../test/kit/index.ts';

/** An agent whose connection to the server can be cut; everything is stopped with the test. */
async function agentBehindWire(t: Test, server: TestServer) {
  const wire = new Wire(() => server.port);
  const agent = testAgent({ port: await wire.start() });
  t.teardown(async () => {
    await agent.worker.stop();
    await wire.stop();
    await server.stop();
  });
  return { wire, agent };
}

t.test('agents leave a server that may not use its database any more, and come back to none like it', async (t) => {
  const first = await new TestServer({ lease_ms: 300 }).start();
  const second = await new TestServer().start();
  let to = first;
  const wire = new Wire(() => to.port);
  const agent = testAgent({ port: await wire.start() });
  t.teardown(async () => {
    await agent.worker.stop();
    await wire.stop();
    await Promise.all([first.stop(), second.stop()]);
  });
  await agent.worker.start();
  await until(() => first.sessions.size === 1);
  first.retired = Errors.unavailable('the database is newer');
  await until(() => first.sessions.size === 0);
  to = second;
  await until(() => second.sessions.size === 1);
  t.equal(first.sessions.size, 0);
});

t.test('a long journal travels in pieces and arrives whole', async (t) => {
  const journal = Array.from({ length: 30 }, (_, at) => recordAt(at, 'z'.repeat(500_000 + at)));
  const store = new MemoryStore();
  store.add('long', [], journal);
  const server = await new TestServer({ store }).start();
  const agent = testAgent({ port: server.port });
  t.teardown(async () => {
    await agent.worker.stop();
    await server.stop();
  });
  await agent.worker.start();
  await until(() => agent.executor.passes.length === 1);
  t.same(agent.executor.passes[0]!.assignment.journal, journal);
});

t.test('a long journal holds neither end up, and what is pushed after it comes after it', async (t) => {
  const journal = Array.from({ length: 10_000 }, (_, at) => recordAt(at, `output ${at}`));
  const claimed = { activity_id: 'long', epoch: 1, journal } as unknown as Assignment;
  const frames: ChannelFrame[] = [];
  const turns: number[] = [];
  let turn = 0;
  let over = false;
  const tick = () => {
    turn += 1;
    if (!over) setImmediate(tick);
  };
  setImmediate(tick);
  const queue = new PushQueue((frame) => {
    frames.push(frame);
    turns.push(turn);
  });
  queue.add({ push: 'assign', assignments: [claimed] });
  t.ok(queue.pending_chars > 5_000_000, 'what waits counts as unsent');
  queue.add({ push: 'revoke', claim: { activity_id: 'long', epoch: 1 }, reason: 'no' });
  await queue.whenIdle();
  over = true;
  t.equal(queue.pending_chars, 0);
  t.ok(frames.length > 20);
  t.ok(
    frames.every((frame) => JSON.stringify(frame).length < 256 * 1024),
    'every frame is small',
  );
  t.equal(new Set(turns).size, frames.length - 2, 'the loop turns between the parts');
  const assembly = new JournalAssembly();
  const pushes = frames.flatMap((frame) => ('push' in frame ? (assembly.acceptFrame(frame) ?? []) : []));
  t.same(pushes[0], { push: 'assign', assignments: [claimed] });
  t.match(pushes[1], { push: 'revoke' });
  t.throws(() => assembly.acceptFrame({ push: 'journal', claim: { activity_id: 'x', epoch: 1 }, packed: 'AAAA' }));
});

t.test('a connection that closes in the middle of a journal sends no more of it', async (t) => {
  const journal = Array.from({ length: 3000 }, (_, at) => recordAt(at, 'x'));
  const frames: ChannelFrame[] = [];
  const queue = new PushQueue((frame) => {
    frames.push(frame);
    queue.close();
  });
  queue.add({ push: 'assign', assignments: [{ activity_id: 'a', epoch: 1, journal } as unknown as Assignment] });
  await queue.whenIdle();
  t.equal(frames.length, 1);
});

t.test('a request larger than a frame is refused by the agent itself, and the channel goes on', async (t) => {
  const server = await new TestServer().start();
  const agent = testAgent({ port: server.port });
  t.teardown(async () => {
    await agent.worker.stop();
    await server.stop();
  });
  server.store.add('big');
  await agent.worker.start();
  await until(() => agent.executor.passes.length === 1);
  const pass = agent.executor.passes[0]!;
  pass.end({ end: 'completed', completion: { status: 'succeeded', output: 'é'.repeat(5_000_000) } });
  await until(() => server.store.get('big').state === 'failed');
  t.match(server.store.get('big').completion, { code: 'payload_too_large', message: /result was rejected/ });
});

t.test('answers lost with the connection: requests are sent again and recorded once', async (t) => {
  const server = await new TestServer().start();
  const { wire, agent } = await agentBehindWire(t, server);
  server.store.add('a');
  await agent.worker.start();
  await until(() => agent.executor.passes.length === 1);
  const { host, end } = agent.executor.passes[0]!;
  for (let position = 0; position < 20; position += 1) {
    wire.swallowAnswers = true;
    const appended = host.append(recordAt(position));
    await until(() => server.store.get('a').journal.length === position + 1);
    wire.cut();
    await appended;
  }
  t.equal(server.store.get('a').journal.length, 20);
  t.equal(server.store.get('a').epoch, 1, 'the same claim all along');
  wire.swallowAnswers = true;
  end(succeeded);
  await until(() => server.store.get('a').state === 'done');
  wire.cut();
  await until(() => agent.worker.status().busy === 0 && agent.worker.status().connected);
  t.equal(agent.executor.passes.length, 1);
});

t.test('assignments lost with the connection go back to the queue at the next hello', async (t) => {
  const server = await new TestServer({ lease_ms: 60_000 }).start();
  const { wire, agent } = await agentBehindWire(t, server);
  await agent.worker.start();
  wire.swallowAnswers = true;
  server.store.add('a');
  server.wakeups.work();
  await until(() => server.store.get('a').state === 'claimed');
  t.equal(agent.executor.passes.length, 0);
  wire.cut();
  await until(() => agent.executor.passes.length === 1);
  t.equal(agent.executor.passes[0]!.assignment.epoch, 2);
});

t.test('a server restarts: running passes go on under their claims, waiting requests arrive', async (t) => {
  const store = new MemoryStore();
  let server = await new TestServer({ store }).start();
  const { port } = server;
  const agent = testAgent({ port });
  t.teardown(async () => {
    await agent.worker.stop();
    await server.stop();
  });
  store.add('a');
  await agent.worker.start();
  await until(() => agent.executor.passes.length === 1);
  const { host, end } = agent.executor.passes[0]!;
  const { table } = server;
  await server.stop();
  const appended = host.append(recordAt(0));
  host.log('stdout', Buffer.from('while away\n'));
  server = new TestServer({ store });
  Object.assign(server.table, { rows: table.rows });
  await server.start(port);
  await appended;
  end(succeeded);
  await until(() => store.get('a').state === 'done');
  t.equal(store.get('a').epoch, 1);
  t.equal(agent.executor.passes[0]!.stopped, undefined);
  t.equal(Buffer.from(store.get('a').logs[0]!.data, 'base64').toString(), 'while away\n');
});

t.test('a refusal is final, with the words of the server; an absent server is not', async (t) => {
  const server = await new TestServer().start();
  t.teardown(() => server.stop());
  const wrong = testAgent({ port: server.port, token: 'svc_agt_wrong' });
  await t.rejects(wrong.worker.start(), {
    code: 'agent_refused',
    status: 401,
    message: /401.*does not know this token/,
  });
  await wrong.worker.stop();
  for (const status of [403, 404]) {
    server.refuse = status;
    const agent = testAgent({ port: server.port });
    await t.rejects(agent.worker.start(), { code: 'agent_refused' });
    await agent.worker.stop();
  }
  server.refuse = 503;
  const patient = testAgent({ port: server.port });
  await patient.worker.start();
  t.equal(patient.worker.status().connected, false);
  t.equal(patient.log.lines.length, 1, 'says it once');
  server.refuse = undefined;
  await until(() => patient.worker.status().connected);
  server.refuse = 404;
  await server.channel.stop();
  server.refuse = 401;
  await until(() => patient.refusals.length === 1);
  t.match(patient.refusals[0], { code: 'agent_refused' });
  await patient.worker.stop();
});

t.test('passes of many agents share one queue fairly, and each activity runs once', async (t) => {
  const server = await new TestServer().start();
  const play = async (pass: TestPass): Promise<PassEnd> => {
    await pass.host.append(recordAt(0));
    pass.host.log('stdout', Buffer.from('done\n'));
    return succeeded;
  };
  const agents = ['svc_agt_one', 'svc_agt_two'].map((token) =>
    testAgent({ port: server.port, token, executor: new TestExecutor(play), slots: 8 }),
  );
  t.teardown(async () => {
    await Promise.all(agents.map(({ worker }) => worker.stop()));
    await server.stop();
  });
  await Promise.all(agents.map(({ worker }) => worker.start()));
  for (let n = 0; n < 1000; n += 1) server.store.add(`a${n}`);
  server.wakeups.work();
  await until(() => server.store.count('done') === 1000);
  t.ok(
    [...server.store.activities.values()].every(
      ({ epoch, journal, logs }) => epoch === 1 && journal.length === 1 && logs.length === 1,
    ),
  );
  const shares = agents.map(({ executor }) => executor.passes.length);
  t.ok(Math.min(...shares) > 300, `shares ${shares.join(' and ')}`);
});
