import { once } from 'node:events';
import type { Socket } from 'node:net';
import t from 'tap';
import { WebSocket } from 'ws';
import { hello, raw } from '../testing/raw-client.ts';
import { TestServer } from '../testing/server.ts';
import { until } from '../../../../test/kit/index.ts';

t.test('the agents of an org have so many connections at a time', async (t) => {
  const server = await new TestServer({ most_of_org: 2 }).start();
  t.teardown(() => server.stop());
  const headers = { authorization: 'Bearer svc_agt_one' };
  /** Whether it is let in, or else the code with which it is closed. */
  const come = async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/api/v1/agents/connect`, { headers });
    t.teardown(() => socket.terminate());
    socket.once('open', () => socket.send(JSON.stringify({ id: 1, op: 'hello', body: hello({ instance: 'third' }) })));
    const answered = once(socket, 'message').then(() => 'let in');
    return Promise.race([answered, once(socket, 'close').then(([code]) => code as number)]);
  };
  const [one, two] = [await raw(server.port), await raw(server.port, 'svc_agt_two')];
  t.equal(await come(), 1013, 'later, or at another server');
  t.match(await one.ask('hello', hello()), { ok: { lease_ms: 5000 } });
  await two.close();
  // The server hears of it in a moment.
  await until(async () => (await come()) === 'let in');
  t.pass('the place of one that was closed is free');
});

/** The first bytes of a frame of 8 MiB. */
function unfinished(bytes: number): Buffer {
  const head = Buffer.alloc(14);
  head[0] = 0x81;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(8n * 1024n * 1024n, 2);
  return Buffer.concat([head, Buffer.alloc(bytes, 0x20)]);
}

const reportsOf = ({ log }: TestServer) => log.lines.filter((line) => line.startsWith("closed agents' connections"));

const tcpOf = (socket: WebSocket) => (socket as unknown as { _socket: Socket })._socket;

t.test('agents that do not finish their frames lose connections, and agents of other orgs do not', async (t) => {
  const server = await new TestServer({ max_buffered_bytes: 4 * 1024 * 1024 }).start();
  t.teardown(() => server.stop());
  const mine = await raw(server.port);
  t.match(await mine.ask('hello', hello()), { ok: {} });
  tcpOf(mine.socket).write(unfinished(1024 * 1024));
  const rivals: Awaited<ReturnType<typeof raw>>[] = [];
  for (let n = 0; n < 6; n++) {
    const rival = await raw(server.port, 'svc_agt_rival');
    rivals.push(rival);
    tcpOf(rival.socket).write(unfinished(1024 * 1024));
  }
  await until(() => rivals.filter(({ closed }) => closed() !== undefined).length === 3);
  t.equal(mine.closed(), undefined, 'its org holds less');
  t.match(reportsOf(server), [/org_2/], 'it is reported once a minute');
  for (const { socket } of [mine, ...rivals]) socket.terminate();
});

t.test('an agent that does not read its responses loses its connection', async (t) => {
  const server = await new TestServer({ max_buffered_bytes: 4 * 1024 * 1024 }).start();
  t.teardown(() => server.stop());
  const mine = await raw(server.port);
  t.match(await mine.ask('hello', hello()), { ok: {} });
  const rival = await raw(server.port, 'svc_agt_rival');
  t.match(await rival.ask('hello', hello({ instance: 'rival' })), { ok: {} });
  tcpOf(rival.socket).pause();
  const claims = Array.from({ length: 5000 }, (_, n) => ({ activity_id: `${'x'.repeat(100)}${n}`, epoch: 1 }));
  const frame = JSON.stringify({ id: 7, op: 'renew', body: { claims } });
  for (let n = 0; n < 60; n++) rival.socket.send(frame);
  await until(() => server.sessions.size === 1);
  t.match(reportsOf(server), [/org_2/], 'because of its bytes, not because it is silent');
  t.match(await mine.ask('renew', { claims: [] }), { ok: { lost: [] } }, 'others are served');
  tcpOf(rival.socket).destroy();
  await mine.close();
});

t.test('an agent that reads and finishes its frames can send as much as it wants', async (t) => {
  const server = await new TestServer({ max_buffered_bytes: 4 * 1024 * 1024 }).start();
  t.teardown(() => server.stop());
  const mine = await raw(server.port);
  t.match(await mine.ask('hello', hello()), { ok: {} });
  const claims = Array.from({ length: 5000 }, (_, n) => ({ activity_id: `${'x'.repeat(100)}${n}`, epoch: 1 }));
  for (let n = 0; n < 30; n++) {
    t.match(await mine.ask('renew', { claims }), { ok: { lost: { length: 5000 } } });
    mine.socket.pong('beat');
  }
  t.equal(mine.closed(), undefined);
  await mine.close();
});
