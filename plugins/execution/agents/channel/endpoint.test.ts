import { once } from 'node:events';
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
