import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { WebSocket, WebSocketServer } from 'ws';
import type { Upgrade } from '../../../kernel/contracts/index.ts';
import { openFilesLimit, readMaxConnections, withinFiles } from './max-connections.ts';
import { ADA, ask, assemble, route, type TestParts } from './testing/test-server.ts';

/** The same order as in service, and so short that a connection lives for a moment. */
const SHORT = { head_ms: 300, keep_alive_ms: 60, answer_ms: 60, sweep_ms: 10, linger_ms: 20 };
const MOST = 16;
const PROJECT = { kind: 'project', role: 'viewer' } as const;
const IN_PROJECT = '/orgs/acme/projects/main';

async function serve(t: Test, parts: TestParts = {}) {
  const { http, lines } = assemble({ limits: SHORT, ...parts });
  await http.listen();
  t.teardown(() => http.close(0));
  const url = http.base_url();
  return { http, lines, url, closed: async (reason: string) => countOf((await ask(url, '/metrics')).text, reason) };
}

const few = (parts: TestParts = {}): TestParts => ({
  limits: { ...SHORT, head_ms: 60_000, keep_alive_ms: 60_000 },
  settings: { env: { SVC_MAX_CONNECTIONS: String(MOST) } },
  ...parts,
});

/** Connections that the server closed for one reason. */
const countOf = (metrics: string, reason: string): number =>
  Number(new RegExp(`closed_total\\{reason="${reason}"\\} (\\d+)`).exec(metrics)?.[1] ?? 0);

interface Client {
  socket: Socket;
  received(): string;
  /** Resolves when the server has closed it. */
  closed: Promise<void>;
}

function client(t: Test, url: string, bytes = ''): Promise<Client> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.teardown(() => socket.destroy());
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  // A reset is a close as well.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  if (bytes !== '') socket.write(bytes);
  return new Promise((resolve) => socket.once('connect', () => resolve({ socket, received: () => text, closed })));
}

/** Sends a text again and again until the server closes the connection. */
async function drip({ socket, closed }: Client, text: string): Promise<void> {
  const timer = setInterval(() => socket.writable && socket.write(text), 5);
  await closed;
  clearInterval(timer);
}

/** Waits longer than any limit lets a connection live that does nothing. */
async function outlive(t: Test, url: string): Promise<void> {
  for (let nth = 0; nth < 3; nth += 1) await (await client(t, url)).closed;
}

const GET = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const AS_ADA = `Authorization: ${ADA.authorization}\r\n`;
const answered = async ({ socket, received }: Client) => {
  while (!received().includes('{"ok":true}')) await new Promise((resolve) => socket.once('data', resolve));
};

t.test('a connection without a whole head is closed', async (t) => {
  const { url, closed } = await serve(t, { routes: [route({ path: '/x' })] });
  const silent = await client(t, url);
  await silent.closed;
  t.match(silent.received(), /^HTTP\/1\.1 408 [\s\S]*request_timeout/, 'not a byte');
  const part = await client(t, url, 'GET /x HTTP/1.1\r\nHost');
  await part.closed;
  t.match(part.received(), /^HTTP\/1\.1 408 /, 'a part of it');
  const slow = await client(t, url, 'GET /x HTTP/1.1\r\nHost: x\r\n');
  await drip(slow, 'A: b\r\n');
  t.match(slow.received(), /^HTTP\/1\.1 408 /, 'one header after the other');
  const upgrade = await client(t, url, 'GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n');
  await upgrade.closed;
  t.match(upgrade.received(), /^HTTP\/1\.1 408 /, 'a WebSocket that does not say who it is');
  const second = await client(t, url, GET('/x'));
  await answered(second);
  second.socket.write('GET /x HTTP/1.1\r\n');
  await drip(second, 'A: b\r\n');
  t.match(second.received(), /200 OK[\s\S]*HTTP\/1\.1 408 /, 'a later request');
  t.equal(await closed('head'), 5);
});

t.test('a connection that is kept is closed when no other request comes, also when blank lines do', async (t) => {
  const { url, closed } = await serve(t, { routes: [route({ path: '/x' })] });
  const idle = await client(t, url, GET('/x'));
  await idle.closed;
  t.match(idle.received(), /200 OK/);
  const blank = await client(t, url, GET('/x'));
  await answered(blank);
  await drip(blank, '\r\n');
  t.equal(await closed('idle'), 2);
  t.notMatch(blank.received(), /408/);
});

t.test('an answer that a stranger does not read is given up; a known caller may take his time', async (t) => {
  const text = 'x'.repeat(32 * 1024 * 1024);
  const given_up = Promise.withResolvers<void>();
  const { url, closed } = await serve(t, {
    limits: { ...SHORT, head_ms: 60_000 },
    routes: [
      route({
        path: '/public',
        async handle({ signal }) {
          signal.addEventListener('abort', () => given_up.resolve());
          return { status: 200, text, type: 'text/plain' };
        },
      }),
      route({
        path: '/orgs/:org/projects/:project/x',
        access: PROJECT,
        handle: async () => ({ status: 200, text, type: 'text/plain' }),
      }),
    ],
  });
  const known = await client(t, url, GET(`${IN_PROJECT}/x`, `${AS_ADA}Connection: close\r\n`));
  known.socket.pause();
  const stranger = await client(t, url, GET('/public'));
  stranger.socket.pause();
  await given_up.promise;
  t.equal(await closed('answer'), 1);
  known.socket.resume();
  await known.closed;
  t.ok(known.received().length > text.length, 'whole');
});

t.test('what lasts and is in order goes on: long polls, streams, channels and slow uploads', async (t) => {
  const release = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const live = new Readable({ read: () => undefined });
  live.push('first ');
  const channel = echo();
  const { url } = await serve(t, {
    upgrades: [channel],
    routes: [
      route({
        path: '/orgs/:org/projects/:project/poll',
        access: PROJECT,
        handle: async () => (await release.promise, { status: 200, json: { ok: true } }),
      }),
      route({ path: '/poll', handle: async () => (await release.promise, { status: 200, json: { ok: true } }) }),
      route({
        path: '/orgs/:org/projects/:project/live',
        access: PROJECT,
        handle: async () => ({ status: 200, stream: live, type: 'text/plain' }),
      }),
      route({
        path: '/orgs/:org/projects/:project/file',
        method: 'PUT',
        access: PROJECT,
        stream_body: true,
        async handle({ content }) {
          let bytes = 0;
          for await (const chunk of content!) {
            bytes += chunk.length;
            begun.resolve();
          }
          return { status: 200, json: { bytes } };
        },
      }),
    ],
  });
  const poll = ask(url, `${IN_PROJECT}/poll`, { headers: ADA });
  const open_poll = ask(url, '/poll');
  const stream = ask(url, `${IN_PROJECT}/live`, { headers: ADA });
  const agent = await connected(url);
  const size = 200;
  const upload = await client(
    t,
    url,
    `PUT ${IN_PROJECT}/file HTTP/1.1\r\nHost: x\r\n${AS_ADA}Content-Length: ${size}\r\nConnection: close\r\n\r\n`,
  );
  upload.socket.write('x');
  await begun.promise;
  // A byte now and then, for as long as other connections come and go.
  let sent = 1;
  const steady = setInterval(() => sent < size - 1 && upload.socket.write('x') && (sent += 1), 5);
  await outlive(t, url);
  clearInterval(steady);
  release.resolve();
  t.match(await poll, { status: 200, json: { ok: true } });
  t.match(await open_poll, { status: 200, json: { ok: true } }, 'whoever asks');
  live.push('last');
  live.push(null);
  t.equal((await stream).text, 'first last');
  agent.send('hello');
  t.equal(await new Promise((resolve) => agent.once('message', (data) => resolve(String(data)))), 'hello');
  agent.terminate();
  upload.socket.write('x'.repeat(size - sent));
  await upload.closed;
  t.match(upload.received(), /"bytes":200/);
});

function echo(): Upgrade {
  const server = new WebSocketServer({ noServer: true });
  return {
    path: '/agents/connect',
    access: { kind: 'agent' },
    accept: (request, socket, head) =>
      server.handleUpgrade(request, socket, head, (channel) =>
        channel.on('message', (data) => channel.send(String(data))),
      ),
  };
}

const connected = (url: string): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer svc_agt_one' };
    const socket = new WebSocket(`${url.replace('http', 'ws')}/agents/connect`, { headers });
    socket.once('open', () => resolve(socket)).once('error', reject);
  });

t.test('a crowd that holds connections keeps nobody out: the one longest without a request makes room', async (t) => {
  const release = Promise.withResolvers<void>();
  const waits = Promise.withResolvers<void>();
  const { url, closed, lines } = await serve(
    t,
    few({
      upgrades: [echo()],
      routes: [
        route({ path: '/x' }),
        route({
          path: '/orgs/:org/projects/:project/poll',
          access: PROJECT,
          async handle() {
            waits.resolve();
            await release.promise;
            return { status: 200, json: { ok: true } };
          },
        }),
      ],
    }),
  );
  const poll = ask(url, `${IN_PROJECT}/poll`, { headers: ADA });
  await waits.promise;
  const agent = await connected(url);
  const crowd: Client[] = [];
  for (let nth = 0; nth < MOST * 2; nth += 1) crowd.push(await client(t, url));
  const served = await client(t, url, GET('/x'));
  await answered(served);
  await Promise.all(crowd.slice(0, MOST + 3).map((one) => one.closed));
  t.notOk(
    crowd.slice(MOST + 3).some(({ socket }) => socket.closed),
    'the others are there',
  );
  t.equal(await closed('full'), MOST + 4, 'those, and one for the request for the metrics');
  t.match((await ask(url, '/metrics')).text, new RegExp(`^svc_http_connections ${MOST}$`, 'm'));
  const told = lines.filter(({ message }) => message.includes('SVC_MAX_CONNECTIONS'));
  t.match(told, [{ level: 'warn', fields: { most: MOST, closed: 1 } }], 'the log says it once a minute');
  agent.send('still here');
  t.equal(await new Promise((resolve) => agent.once('message', (data) => resolve(String(data)))), 'still here');
  agent.terminate();
  release.resolve();
  t.match(await poll, { status: 200 }, 'what is under way goes on');
});

t.test('slow bodies of strangers make room too, and then the requests of who has most of all', async (t) => {
  const release = Promise.withResolvers<void>();
  let polls = 0;
  const { url, closed } = await serve(
    t,
    few({
      routes: [
        route({ path: '/hook', method: 'POST', raw_body: true }),
        route({
          path: '/orgs/:org/projects/:project/poll',
          access: PROJECT,
          async handle() {
            polls += 1;
            await release.promise;
            return { status: 200, json: { ok: true } };
          },
        }),
      ],
    }),
  );
  const body = 'POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n';
  const slow: Client[] = [];
  for (let nth = 0; nth < MOST; nth += 1) {
    const one = await client(t, url, body);
    // The server reads its body now.
    await new Promise((resolve) => one.socket.once('data', resolve));
    slow.push(one);
  }
  const known: Promise<{ status: number }>[] = [];
  for (let nth = 0; nth < MOST; nth += 1) {
    known.push(ask(url, `${IN_PROJECT}/poll`, { headers: ADA }));
    await slow[nth]!.closed;
  }
  while (polls < MOST) await new Promise((resolve) => setImmediate(resolve));
  const oldest = t.rejects(known[0]!, { code: 'ECONNRESET' }, 'the oldest of who has them all makes room');
  t.equal((await ask(url, '/metrics')).status, 200);
  await oldest;
  release.resolve();
  for (const answer of await Promise.all(known.slice(1))) t.equal(answer.status, 200);
  t.equal(await closed('full'), MOST + 1);
});

t.test('a crowd of one org makes room, also behind the older requests of many others', async (t) => {
  const release = Promise.withResolvers<void>();
  const gone: string[] = [];
  let polls = 0;
  const { url } = await serve(
    t,
    few({
      control: {
        authenticate: async (name = '') => ({ kind: 'user', id: name, name, token_id: name, org_id: null }),
        authorize: async (_principal, _access, { org = '' }) => ({ org_id: org, org, project_id: '', project: '' }),
      },
      routes: [
        route({
          path: '/orgs/:org/poll',
          access: { kind: 'org', role: 'member' },
          async handle({ scope, principal, signal }) {
            polls += 1;
            signal.addEventListener('abort', () => gone.push(`${scope.org} ${principal!.name}`));
            await release.promise;
            return { status: 200, json: { ok: true } };
          },
        }),
      ],
    }),
  );
  const poll = async (org: string, name: string) => {
    const before = polls;
    const { socket } = await client(t, url, GET(`/orgs/${org}/poll`, `Authorization: ${name}\r\n`));
    while (polls === before) await new Promise((resolve) => setImmediate(resolve));
    return socket;
  };
  for (let nth = 0; nth < 8; nth += 1) await poll(`org${nth}`, 'somebody');
  // None of them has a quarter of all.
  for (const name of ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b']) await poll('crowd', name);
  const { status } = await ask(url, '/metrics');
  t.equal(status, 200);
  while (gone.length === 0) await new Promise((resolve) => setImmediate(resolve));
  t.same(gone, ['crowd a']);
  release.resolve();
});

t.test('the system asks the other machine whether it is there', { skip: process.platform !== 'linux' }, async (t) => {
  const { url } = await serve(t, { routes: [route({ path: '/x' })], limits: {} });
  const one = await client(t, url, GET('/x'));
  await answered(one);
  const [own, far] = [new URL(url).port, one.socket.localPort].map((port) =>
    Number(port).toString(16).toUpperCase().padStart(4, '0'),
  );
  const line = new RegExp(`:${own} [0-9A-F]+:${far} 01 [0-9A-F:]+ (\\d\\d):([0-9A-F]+)`);
  const [, timer, jiffies = ''] = line.exec(readFileSync('/proc/net/tcp', 'utf8')) ?? [];
  t.equal(timer, '02', 'its timer is that of keepalive');
  t.ok(Number.parseInt(jiffies, 16) <= 6000, 'within a minute, and not in the two hours of the system');
});

t.test('how many connections there may be is a setting, and never more than files', async (t) => {
  t.equal(readMaxConnections(undefined), 10_000);
  t.equal(readMaxConnections(''), 10_000);
  t.equal(readMaxConnections('64'), 64);
  for (const text of ['0', '15', '-1', '1e4', 'many', '1000001', '12345678'])
    t.throws(() => readMaxConnections(text), { code: 'setting_invalid', message: /16 to 1000000/ }, text);
  t.equal(withinFiles(10_000, 1_048_576), 10_000);
  t.equal(withinFiles(10_000, 4096), 3584);
  t.equal(withinFiles(10_000, 256), 128);
  t.equal(withinFiles(10_000, undefined), 10_000);
  if (process.platform === 'linux') t.ok(openFilesLimit()! > 100);
  const files = openFilesLimit() ?? 0;
  const { lines } = assemble({ settings: { env: { SVC_MAX_CONNECTIONS: '1000000' } } });
  if (files < 1_000_000) t.match(lines, [{ level: 'warn', fields: { files, wanted: 1_000_000 } }]);
});
