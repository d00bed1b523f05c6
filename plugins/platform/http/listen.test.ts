import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { ask } from './testing/test-server.ts';
import { listen } from './listen.ts';
import { leaveOut } from '../../../test/kit/needs.ts';

/** Clients that come at once, while the server is busy with something else. */
const MANY = 1500;

/** How many connections that nobody has accepted yet the system keeps for one listener. */
const kept = (): number => {
  try {
    return Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  } catch {
    return 0;
  }
};

/** Ends well once it has all its connections, and badly where some are not taken. */
const CLIENT = `
  const { connect } = require('node:net');
  const [port, count] = process.argv.slice(1).map(Number);
  let open = 0;
  setTimeout(() => { console.log(open); process.exit(1); }, 20_000);
  for (let i = 0; i < count; i += 1) connect(port, '127.0.0.1', () => ++open === count && process.exit(0));
`;

const LINUX = process.platform === 'linux';

/** A server that answers with the port on which a request arrived. */
function serverOf(t: Test): Server {
  const server = createHttpServer((request, response) => response.end(JSON.stringify(request.socket.localPort)));
  t.teardown(() => server.closeAllConnections());
  return server;
}

/** Each request has a socket of its own. */
const agent = new Agent({ keepAlive: false });

const at = (port: number, host = '127.0.0.1') => ({ host, port, socket_path: undefined });

/** A port that is free at this moment. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** Connects so many clients, and counts the turns of the event loop in which they are accepted. */
async function turnsFor(server: Server, clients: number): Promise<number> {
  const turns = new Set<number>();
  let turn = 0;
  let counting = true;
  const count = () => {
    turn += 1;
    if (counting) setImmediate(count);
  };
  const accepted = new Promise<void>((resolve) => {
    let left = clients;
    server.on('connection', () => {
      turns.add(turn);
      left -= 1;
      if (left === 0) resolve();
    });
  });
  const { address, port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: clients }, () => connect(port, address));
  setImmediate(count);
  await accepted;
  counting = false;
  for (const socket of sockets) socket.destroy();
  return turns.size;
}

t.test('clients that connect at once are accepted in a few turns of the event loop', { skip: !LINUX }, async (t) => {
  const CLIENTS = 200;
  const plain = serverOf(t);
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  const one_by_one = await turnsFor(plain, CLIENTS);
  plain.close();
  const server = serverOf(t);
  const { close, widened } = await listen(server, at(0));
  t.equal(await widened, undefined);
  const turns = await turnsFor(server, CLIENTS);
  await close();
  t.ok(turns * 4 < one_by_one, `${turns} turns, and ${one_by_one} with one socket`);
});

for (const [what, port_of] of [
  ['a given port', freePort],
  ['a free one that the system chooses', async () => 0],
] as const)
  t.test(`many requests come through every socket of ${what}`, async (t) => {
    const server = serverOf(t);
    const { base_url, close, widened } = await listen(server, at(await port_of()));
    await widened;
    const { port } = new URL(base_url);
    const asked = Array.from({ length: 100 }, () => ask(base_url, '/', { agent }));
    for (const { text } of await Promise.all(asked)) t.equal(text, port);
    await close();
    await t.rejects(ask(base_url, '/', { agent }), { code: 'ECONNREFUSED' }, 'no socket accepts anything more');
  });

t.test('a port that another server of this user has is refused, whichever way that one got it', async (t) => {
  for (const port of [0, await freePort()]) {
    const first = await listen(serverOf(t), at(port));
    const taken = Number(new URL(first.base_url).port);
    for (const host of ['127.0.0.1', '0.0.0.0'])
      await t.rejects(listen(serverOf(t), at(taken, host)), { code: 'address_in_use' }, `${host}:${taken}`);
    await first.close();
    const second = await listen(serverOf(t), at(taken));
    t.equal(second.base_url, first.base_url, 'it is free again');
    await second.close();
  }
});

t.test('of servers that start at once on one port exactly one listens', async (t) => {
  const port = await freePort();
  const starts = await Promise.allSettled(Array.from({ length: 8 }, () => listen(serverOf(t), at(port))));
  const listening = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  t.equal(listening.length, 1);
  for (const start of starts)
    if (start.status === 'rejected') t.match(start.reason as Error, { code: 'address_in_use' });
  for (const { close } of listening) await close();
});

/** Tries to share a port, as every process of a user may with one that is open to that. */
const JOIN = `
  const server = require('node:net').createServer();
  server.on('error', ({ code }) => { console.log(code); process.exit(); });
  server.listen({ host: '127.0.0.1', port: Number(process.argv[1]), reusePort: true }, () => { console.log('joined'); process.exit(); });
`;

t.test('no other process of this user gets connections of the server', { skip: !LINUX }, async (t) => {
  const { base_url, close, widened } = await listen(serverOf(t), at(0));
  t.teardown(close);
  const join = () => spawnSync(process.execPath, ['-e', JOIN, new URL(base_url).port], { encoding: 'utf8' }).stdout;
  t.equal(join().trim(), 'EADDRINUSE');
  await widened;
  t.equal(join().trim(), 'EADDRINUSE', 'nor when it has all of its listeners');
});

t.test('a server that is closed before it has all of its listeners frees its port', async (t) => {
  const port = await freePort();
  for (let nth = 0; nth < 5; nth += 1) {
    const { close, widened } = await listen(serverOf(t), at(port));
    for (let turn = 0; turn < nth; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await close();
    t.equal(await widened, undefined);
  }
});

t.test('IPv6, and names', async (t) => {
  for (const host of ['localhost', '::1', '::']) {
    const server = serverOf(t);
    const { base_url, close, widened } = await listen(server, at(0, host));
    await widened;
    for (const { status } of await Promise.all(Array.from({ length: 40 }, () => fetch(base_url))))
      t.equal(status, 200, host);
    await close();
  }
});

t.test('closing waits for connections of every socket', async (t) => {
  const server = serverOf(t);
  const { base_url, close, widened } = await listen(server, at(0));
  await widened;
  const { port } = new URL(base_url);
  const accepted: Socket[] = [];
  const all = new Promise<void>((resolve) => {
    server.on('connection', (socket: Socket) => {
      accepted.push(socket);
      if (accepted.length === 40) resolve();
    });
  });
  const clients = Array.from({ length: 40 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
  await all;
  let over = false;
  const closing = close().then(() => (over = true));
  for (const socket of accepted.slice(1)) socket.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  t.notOk(over, 'one is open');
  accepted[0]!.destroy();
  await closing;
  for (const client of clients) client.destroy();
});

t.test('no client that comes in a crowd is turned away while the server is busy', async (t) => {
  if (kept() < MANY) return leaveOut(t, 'somaxconn', `this system keeps ${kept()} connections for a listener`);
  const server = createHttpServer();
  const { close } = await listen(server, at(0));
  t.teardown(close);
  const { port } = server.address() as AddressInfo;
  // Nothing is accepted meanwhile: this process stands still until the other has ended.
  const { status, stdout } = spawnSync(process.execPath, ['-e', CLIENT, String(port), String(MANY)]);
  t.equal(status, 0, `all of ${MANY} are connected; else so many: ${stdout}`);
});
