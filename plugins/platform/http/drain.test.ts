import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import { Errors } from '../../../kernel/contracts/index.ts';
import { ask, assemble, route } from './testing/test-server.ts';

t.test('a drain lets requests finish, ends what waits, and refuses what is new', async (t) => {
  const release = Promise.withResolvers<void>();
  const arrived = {
    slow: Promise.withResolvers<void>(),
    poll: Promise.withResolvers<void>(),
    follow: Promise.withResolvers<void>(),
  };
  const routes = [
    route({
      path: '/slow',
      handle: async () => {
        arrived.slow.resolve();
        await release.promise;
        return { status: 200, json: 'done' };
      },
    }),
    route({
      path: '/poll',
      handle: ({ signal }) => {
        arrived.poll.resolve();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    }),
    route({
      path: '/follow',
      handle: async ({ signal }) => {
        const stream = new Readable({ read: () => undefined });
        stream.push('data: 1\n\n');
        signal.addEventListener('abort', () => stream.push('data: end\n\n') && stream.push(null));
        arrived.follow.resolve();
        return { status: 200, type: 'text/event-stream', stream };
      },
    }),
    route({ path: '/quick' }),
  ];
  const { http } = assemble({ routes, limits: { drain_tick_ms: 5 } });
  await http.listen();
  const url = http.base_url();
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  t.equal((await ask(url, '/quick', { agent })).headers.connection, 'keep-alive');
  const slow = ask(url, '/slow', { agent });
  const poll = ask(url, '/poll');
  const follow = ask(url, '/follow');
  await Promise.all([arrived.slow.promise, arrived.poll.promise, arrived.follow.promise]);

  const closing = http.close(60_000);
  t.equal(closing, http.close(1), 'closing twice is closing once');
  const waited = await poll;
  t.match(waited.json, { status: 503, code: 'unavailable', detail: /stopping/ });
  t.equal(waited.headers['retry-after'], '1');
  t.equal((await follow).text, 'data: 1\n\ndata: end\n\n', 'a followed log ends by itself');
  // While the process that copies the socket is dying, the system still queues connections, and resets them when it is gone.
  await t.rejects(ask(url, '/quick'), { code: /^(ECONNREFUSED|ECONNRESET)$/ }, 'nothing new is served');
  release.resolve();
  const done = await slow;
  t.equal(done.status, 200);
  t.equal(done.headers.connection, 'close');
  await closing;
  t.equal(http.base_url(), url, 'the address stays known');
});

t.test('a request that waits for its signal only after the drain began is aborted at once', async (t) => {
  const go = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const { http } = assemble({
    routes: [
      route({
        path: '/late',
        handle: async ({ signal, ...rest }) => {
          arrived.resolve();
          await go.promise;
          signal.throwIfAborted();
          return { status: 200, json: rest };
        },
      }),
    ],
  });
  await http.listen();
  const late = ask(http.base_url(), '/late');
  await arrived.promise;
  const closing = http.close(60_000);
  go.resolve();
  t.match((await late).json, { status: 503, code: Errors.unavailable.code });
  await closing;
});

t.test('at the bound what is left is cut', async (t) => {
  const arrived = Promise.withResolvers<void>();
  const handle = () => {
    arrived.resolve();
    return new Promise<never>(() => undefined);
  };
  const { http } = assemble({ routes: [route({ path: '/stuck', handle })] });
  await http.listen();
  const stuck = ask(http.base_url(), '/stuck').catch((error: NodeJS.ErrnoException) => error.code);
  const { hostname, port } = new URL(http.base_url());
  const silent = connect(Number(port), hostname);
  silent.on('error', () => undefined);
  const gone = new Promise((resolve) => silent.once('close', resolve));
  await arrived.promise;
  await http.close(50);
  t.equal(await stuck, 'ECONNRESET');
  await gone;
});

t.test('closing what never listened, and what could not', async (t) => {
  await assemble({}).http.close(10);
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.teardown(() => other.close());
  const { port } = other.address() as AddressInfo;
  const { http } = assemble({ settings: { port } });
  await t.rejects(http.listen(), {
    code: 'address_in_use',
    message: new RegExp(`127.0.0.1:${port}`),
    next: /SVC_PORT/,
  });
  t.throws(() => http.base_url());
  await http.close(10);
  await t.rejects(assemble({ settings: { host: '203.0.113.1' } }).http.listen(), { code: 'address_unusable' });
  await t.rejects(assemble({ settings: { host: 'no.such.host.invalid' } }).http.listen(), { code: 'address_unusable' });
});

t.test('addresses', async (t) => {
  for (const [host, expected] of [
    ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['localhost', /^http:\/\/localhost:\d+$/],
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
  ] as const) {
    const { http } = assemble({ settings: { host } });
    await http.listen();
    t.match(http.base_url(), expected);
    t.equal((await ask(http.base_url(), '/healthz')).status, 200);
    await http.close(10);
  }
});

t.test('a Unix socket: private, removed at the end, taken over from the dead, never from the living', async (t) => {
  // The path of a Unix socket has about a hundred bytes at most.
  const folder = mkdtempSync(join(tmpdir(), 'svc-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const socket_path = join(folder, 'http.sock');
  const left = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', left, socket_path]);
  t.ok(existsSync(socket_path), 'left by a process that was killed');
  const { http } = assemble({ settings: { socket_path } });
  await http.listen();
  t.equal(http.base_url(), `unix:${socket_path}`);
  t.equal(statSync(socket_path).mode & 0o777, 0o600);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    request({ socketPath: socket_path, path: '/healthz' }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  t.equal(status, 200);
  await t.rejects(assemble({ settings: { socket_path } }).http.listen(), { code: 'address_in_use' });
  await http.close(100);
  t.notOk(existsSync(socket_path));
});
