import { randomBytes } from 'node:crypto';
import t from 'tap';
import { recordAt, succeeded, TestExecutor, testAgent } from '../testing/agent.ts';
import { hello, raw } from '../testing/raw-client.ts';
import { TestServer } from '../testing/server.ts';
import { Wire } from '../testing/wire.ts';
import { until } from '../../../../test/kit/index.ts';

t.test('a session is strict about bodies, order, protocol and whose claim it is', async (t) => {
  const server = await new TestServer().start();
  t.teardown(() => server.stop());
  const one = await raw(server.port);
  t.equal((await one.ask('renew', { claims: [] })).error?.code, 'agent_hello_required');
  t.equal((await one.ask('dance', {})).error?.code, 'invalid_request');
  t.equal((await one.ask('toString', {})).error?.code, 'invalid_request');
  const old = await one.ask('hello', { protocol: 99 });
  t.match(old.error, { code: 'agent_protocol_unsupported', message: /protocol 99, the server uses 6/ });
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
    ['logs', { claim, chunks: [{ n: 0, stream: 'stdout', at: 253_402_300_800_000, data: '' }] }],
    ['ready', { free: 1e9 }],
    ['under_way', { calls: [{ claim, call: { kind: 'step', name: 'a', ordinal: 0 } }] }],
    ['under_way', { calls: [{ claim, agent: 'another' }] }],
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

t.test('what agents carry out is told of their own claims, under their own names, until these are over', async (t) => {
  const heard: unknown[] = [];
  const server = await new TestServer({
    under_way: {
      tell: async (agent, told) => void heard.push({ agent, told }),
      forget: (claims) => void (claims.length > 0 && heard.push({ over: claims })),
    },
  }).start();
  t.teardown(() => server.stop());
  const one = await raw(server.port);
  await one.ask('hello', hello());
  for (const name of ['a', 'b']) server.store.add(name);
  await one.ask('ready', { free: 2 });
  await until(() => one.answers.filter((answer) => answer.push === 'assign').length === 2);
  const [a, b] = [
    { activity_id: 'a', epoch: 1 },
    { activity_id: 'b', epoch: 1 },
  ];
  const call = { kind: 'step', name: 'slow', ordinal: 0, position: 1, for_ms: 300 };
  const others = { activity_id: 'c', epoch: 1 };
  const calls = [{ claim: a, call }, { claim: { ...a, epoch: 2 }, call }, { claim: others, call }, { claim: b }];
  t.match(await one.ask('under_way', { calls }), { ok: {} }, 'what is none of its claims is passed over');
  t.match(heard.splice(0), [{ agent: { name: 'raw' }, told: [{ claim: a, call }, { claim: b }] }]);
  await one.ask('release', { claim: a });
  t.same(heard.splice(0), [{ over: [a] }]);
  await one.close();
  await until(() => server.sessions.size === 0);
  t.same(heard, [{ over: [b] }], 'its agent is gone');
});
