import { randomBytes } from 'node:crypto';
import t from 'tap';
import { WebSocket } from 'ws';
import { recordAt, succeeded, TestExecutor, type TestPass, testAgent } from '../testing/agent.ts';
import { until } from '../testing/doubles.ts';
import { MemoryStore } from '../testing/memory-store.ts';
import { TestServer } from '../testing/server.ts';
import { Wire } from '../testing/wire.ts';
import type { AgentHello, PassEnd } from '../contract.ts';

type Answer = {
  id?: number;
  ok?: unknown;
  error?: { code: string; message: string };
  push?: string;
  assignments?: unknown[];
};

const hello = (given: Partial<AgentHello> = {}): AgentHello => ({
  protocol: 1,
  name: 'raw',
  instance: 'ins_raw',
  os: 'linux',
  arch: 'x64',
  capabilities: ['testing'],
  slots: 4,
  version: '0.1.0',
  pid: 1,
  holding: [],
  ...given,
});

/** A client that sends what a test wants, right or wrong. */
async function raw(port: number, token = 'svc_agt_one') {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/agents/connect`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const answers: Answer[] = [];
  let closed: number | undefined;
  socket.on('message', (data) => answers.push(JSON.parse((data as Buffer).toString()) as Answer));
  socket.on('close', (code) => {
    closed = code;
  });
  socket.on('error', () => {});
  await until(() => socket.readyState === WebSocket.OPEN);
  let next = 0;
  return {
    socket,
    answers,
    closed: () => closed,
    async ask(op: string, body: unknown, id = (next += 1)): Promise<Answer> {
      const before = answers.filter((answer) => answer.id === id).length;
      socket.send(JSON.stringify({ id, op, body }));
      await until(() => answers.filter((answer) => answer.id === id).length > before);
      return answers.findLast((answer) => answer.id === id)!;
    },
    async close() {
      socket.close();
      await until(() => socket.readyState === WebSocket.CLOSED);
    },
  };
}

t.test('a session is strict about bodies, order, protocol and whose claim it is', async (t) => {
  const server = await new TestServer().start();
  t.teardown(() => server.stop());
  const one = await raw(server.port);
  t.equal((await one.ask('renew', { claims: [] })).error?.code, 'agent_hello_required');
  t.equal((await one.ask('dance', {})).error?.code, 'invalid_request');
  t.equal((await one.ask('toString', {})).error?.code, 'invalid_request');
  const old = await one.ask('hello', { protocol: 99 });
  t.match(old.error, { code: 'agent_protocol_unsupported', message: /protocol 99, the server 1/ });
  t.equal((await one.ask('hello', null)).error?.code, 'invalid_request');
  t.match((await one.ask('hello', { ...hello(), shoe: 44 })).error?.message, /shoe|additional/);
  t.match(await one.ask('hello', hello()), { ok: { lease_ms: 5000, lost: [] } });
  t.equal((await one.ask('hello', hello())).error?.code, 'invalid_request');

  server.store.add('a');
  await one.ask('ready', { free: 1 });
  await until(() => one.answers.some((answer) => answer.push === 'assign'));
  const claim = { activity_id: 'a', epoch: 1 };
  t.match(await one.ask('append', { claim, record: recordAt(0) }), { ok: {} });
  t.match(await one.ask('append', { claim, record: recordAt(0) }), { ok: {} }, 'a record sent twice is one record');
  t.equal(server.store.get('a').journal.length, 1);
  const stale = { activity_id: 'a', epoch: 0 };
  t.equal((await one.ask('append', { claim: stale, record: recordAt(1) })).error?.code, 'lease_lost');
  const two = await raw(server.port, 'svc_agt_two');
  await two.ask('hello', hello({ instance: 'other' }));
  t.equal((await two.ask('append', { claim, record: recordAt(1) })).error?.code, 'lease_lost', "another agent's claim");
  t.match(await two.ask('renew', { claims: [claim] }), { ok: { lost: [claim] } });

  for (const [op, body] of [
    ['append', { claim, record: { ...recordAt(1), output: 'not base64!' } }],
    ['append', { claim, record: { ...recordAt(1), position: -1 } }],
    ['append', { claim: { ...claim, epoch: 1.5 }, record: recordAt(1) }],
    ['complete', { claim, completion: { status: 'odd' } }],
    ['complete', { claim, completion: { status: 'succeeded', output: JSON.parse('['.repeat(500) + ']'.repeat(500)) } }],
    ['logs', { claim, chunks: [{ n: 0, stream: 'stdin', at: 1, data: '' }] }],
    ['ready', { free: 1e9 }],
  ] as const)
    t.equal((await one.ask(op, body)).error?.code, 'invalid_request', `${op} is checked`);
  t.match(await one.ask('complete', { claim, completion: succeeded.end === 'completed' ? succeeded.completion : {} }), {
    ok: {},
  });
  t.equal(
    (await one.ask('complete', { claim, completion: { status: 'succeeded', output: 1 } })).error?.code,
    'lease_lost',
  );
  t.equal(server.store.get('a').state, 'done');
  await one.close();
  await two.close();
  await until(() => server.sessions.size === 0);
});

t.test('a server that fails says so and hides why; one that cannot just now says that', async (t) => {
  const server = await new TestServer().start();
  t.teardown(() => server.stop());
  const one = await raw(server.port);
  await one.ask('hello', hello());
  server.store.failure = new Error('password=hunter2');
  const answer = await one.ask('renew', { claims: [{ activity_id: 'a', epoch: 1 }] });
  t.match(answer.error, { code: 'internal', status: 500 });
  t.notMatch(JSON.stringify(answer), /hunter2/);
  await one.close();
});

t.test('frames that are no frames end the connection and nothing else', async (t) => {
  const server = await new TestServer().start();
  t.teardown(() => server.stop());
  const good = await raw(server.port);
  await good.ask('hello', hello());
  const frames: (string | Buffer)[] = [
    '',
    '{',
    'null',
    '[]',
    '1',
    '"x"',
    '{"id":"1","op":"hello"}',
    '{"id":1.5,"op":"x"}',
  ];
  frames.push(
    '{"id":1}',
    '{"op":"hello"}',
    Buffer.from([0, 1, 2]),
    '['.repeat(200_000),
    `{"id":1,"op":"${'x'.repeat(9_000_000)}"}`,
  );
  for (const frame of frames) {
    const bad = await raw(server.port);
    bad.socket.send(frame);
    await until(() => bad.closed() !== undefined);
  }
  for (let round = 0; round < 200; round += 1) {
    const bad = await raw(server.port);
    const noise = Buffer.from(Array.from({ length: 64 }, () => Math.floor(Math.random() * 256)));
    (bad.socket as unknown as { _socket: { write(data: Buffer): void } })._socket.write(noise);
    bad.socket.terminate();
  }
  t.match(await good.ask('renew', { claims: [] }), { ok: { lost: [] } }, 'others do not notice');
  t.match(await good.ask('hello', JSON.parse('{"__proto__":{"protocol":1}}')), { error: { code: 'invalid_request' } });
  await good.close();
});

t.test('requests in flight are bounded by not reading on, and all answered', async (t) => {
  const server = await new TestServer().start();
  t.teardown(() => server.stop());
  const one = await raw(server.port);
  await one.ask('hello', hello());
  for (let id = 1000; id < 6000; id += 1) one.socket.send(JSON.stringify({ id, op: 'renew', body: { claims: [] } }));
  await until(() => one.answers.filter((answer) => (answer.id ?? 0) >= 1000).length === 5000);
  t.equal(new Set(one.answers.map((answer) => answer.id)).size, one.answers.length);
  await one.close();
});

t.test('an agent that does not read gets no more work than fits, and others do', async (t) => {
  const server = await new TestServer({ lease_ms: 60_000 }).start();
  t.teardown(() => server.stop());
  const slow = await raw(server.port);
  await slow.ask('hello', hello({ slots: 1000 }));
  slow.socket.pause();
  const journal = Array.from({ length: 10 }, (_, at) => recordAt(at, randomBytes(75_000).toString('base64')));
  for (let n = 0; n < 100; n += 1) server.store.add(`a${n}`, [], journal);
  slow.socket.send(JSON.stringify({ id: 9, op: 'ready', body: { free: 1000 } }));
  await until(() => server.handedOver > 1);
  const executor = new TestExecutor(async () => succeeded);
  const other = testAgent({ port: server.port, token: 'svc_agt_two', executor });
  await other.worker.start();
  await until(
    () => server.store.count('done') + server.store.count('claimed') === 100 && server.store.count('claimed') < 30,
  );
  t.ok(executor.passes.length > 70, 'most went to the one that reads');
  await until(() => server.store.count('done') === executor.passes.length);
  slow.socket.terminate();
  await other.worker.stop();
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
  t.match(server.store.get('big').completion, { code: 'payload_too_large', message: /result was refused/ });
});

t.test('answers lost with the connection: requests are sent again and recorded once', async (t) => {
  const server = await new TestServer().start();
  const wire = new Wire(() => server.port);
  const agent = testAgent({ port: await wire.start() });
  t.teardown(async () => {
    await agent.worker.stop();
    await wire.stop();
    await server.stop();
  });
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
  const wire = new Wire(() => server.port);
  const agent = testAgent({ port: await wire.start() });
  t.teardown(async () => {
    await agent.worker.stop();
    await wire.stop();
    await server.stop();
  });
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
  await t.rejects(wrong.worker.start(), { code: 'agent_refused', status: 401, message: /401.*not known here/ });
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

t.test('a new connection of the same agent ends the old one', async (t) => {
  const server = await new TestServer().start();
  t.teardown(() => server.stop());
  const first = await raw(server.port);
  const second = await raw(server.port);
  const { ok } = (await first.ask('hello', hello())) as { ok: { agent_id: string } };
  t.match(await second.ask('hello', hello()), { ok: { agent_id: ok.agent_id } }, 'and keeps its id');
  await until(() => first.closed() !== undefined);
  t.match(await second.ask('renew', { claims: [] }), { ok: {} });
  await second.close();
});

t.test('an agent that says nothing after connecting, or dies half-open, is let go', async (t) => {
  const server = await new TestServer({ lease_ms: 200 }).start();
  const wire = new Wire(() => server.port);
  t.teardown(async () => {
    await wire.stop();
    await server.stop();
  });
  const mute = await raw(server.port);
  await until(() => mute.closed() !== undefined);
  const dead = await raw(await wire.start());
  await dead.ask('hello', hello());
  t.equal(server.sessions.size, 1);
  wire.die();
  await until(() => server.sessions.size === 0);
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
