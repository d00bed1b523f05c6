import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import t, { type Test } from 'tap';
import { WebSocket, WebSocketServer } from 'ws';
import { Errors, type Upgrade } from '../../../kernel/contracts/index.ts';
import { ADA, ask, assemble, control, route, sendRaw, type TestParts } from './testing/test-server.ts';

async function serve(t: Test, parts: TestParts) {
  const { http, lines } = assemble({ limits: { linger_ms: 30 }, ...parts });
  await http.listen();
  t.teardown(() => http.close(0));
  return { http, lines, url: http.base_url() };
}

/** The single answer in the received bytes, which must be a complete problem document. */
function problemIn(text: string): { status: number; code: unknown; head: string } {
  const [head = '', body = ''] = text.split(/\r\n\r\n/, 2);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  if (Buffer.byteLength(body, 'latin1') !== length) return { status: 0, code: text, head };
  const document = JSON.parse(Buffer.from(body, 'latin1').toString()) as {
    code: unknown;
    status: number;
    request_id: string;
  };
  const named = head.toLowerCase().includes(`x-request-id: ${document.request_id}`.toLowerCase());
  return { status: named ? document.status : 0, code: document.code, head };
}

t.test('bad HTTP is answered, and ends nothing but its connection', async (t) => {
  const { url, lines } = await serve(t, {
    routes: [route({ path: '/x' }), route({ path: '/x', method: 'POST', raw_body: true })],
  });
  const host = 'Host: x\r\n';
  const cases: [string, number][] = [
    ['nonsense\r\n\r\n', 400],
    ['\u0000\u0001\u0002\r\n\r\n', 400],
    ['GET /x HTTP/9.9\r\n\r\n', 400],
    ['GET /x\r\n\r\n', 400],
    [`GET /x y HTTP/1.1\r\n${host}\r\n`, 400],
    [`BREW /x HTTP/1.1\r\n${host}\r\n`, 400],
    ['GET /x HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['GET /x HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 400],
    [`GET /x HTTP/1.1\r\n${host}Bad Header: 1\r\n\r\n`, 400],
    [`GET /x HTTP/1.1\r\n${host}A: \u0000\r\n\r\n`, 400],
    [`GET /x HTTP/1.1\r\n${host}A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    [`GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, 431],
    [`POST /x HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`, 400],
    [`POST /x HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400],
    [`POST /x HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    [`POST /x HTTP/1.1\r\n${host}Transfer-Encoding: gzip\r\n\r\n`, 400],
    [`POST /x HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`, 400],
    [`GET x HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, 400],
    [`GET * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, 400],
    [`GET ftp://x/y HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, 400],
    [`GET /x\u00e9 HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, 400],
    [`GET /x HTTP/1.1\r\n${host}Host: y\r\nConnection: close\r\n\r\n`, 400],
    [`GET /x HTTP/1.1\r\n${host}hOsT: x\r\nConnection: close\r\n\r\n`, 400],
    [`GET /x HTTP/1.0\r\n${host}${host}\r\n`, 400],
    [`GET /x HTTP/1.1\r\n${host}Authorization: a\r\nAuthorization: b\r\nConnection: close\r\n\r\n`, 400],
    [`POST /x HTTP/1.1\r\n${host}Content-Type: a/b\r\nContent-Type: a/c\r\nConnection: close\r\n\r\n`, 400],
    [`GET /x HTTP/1.1\r\n${host}Origin: a\r\nOrigin: b\r\nConnection: close\r\n\r\n`, 400],
    [`CONNECT x:1 HTTP/1.1\r\n${host}\r\n`, 405],
  ];
  for (const name of [
    'a b',
    'a/b',
    'a:99999',
    'a:b',
    '[::',
    '[:::]',
    '1.2.3.4.5',
    '256.1.1.1',
    'a@b',
    'a?b',
    '%00',
    'a,b',
    '\u00ff',
  ])
    cases.push([`GET /x HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`, 400]);
  for (const [bytes, status] of cases) {
    const text = await sendRaw(url, Buffer.from(bytes, 'latin1'));
    t.equal(problemIn(text).status, status, JSON.stringify(bytes.slice(0, 70)));
  }
  for (const bytes of ['', '\r\n', 'GET', `GET /x HTTP/1.1\r\nHo`, '\u0016\u0003\u0001\u0002'])
    t.notMatch(await sendRaw(url, bytes, { end: true }), /HTTP\/1\.1 (2|5)/, JSON.stringify(bytes));
  t.match(
    await sendRaw(url, 'GET http://other/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    /200 OK/,
    'absolute form',
  );
  t.match(await sendRaw(url, 'GET /x HTTP/1.0\r\n\r\n'), /200 OK/, 'an old client has no Host');
  t.match(await sendRaw(url, 'GET /x HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n'), /200 OK/);
  t.equal((await ask(url, '/x')).status, 200, 'still there');
  t.notOk(lines.some(({ level }) => level === 'error'));
});

t.test('a bad second request does not touch the answer to the first', async (t) => {
  const release = Promise.withResolvers<void>();
  const handle = async () => {
    await release.promise;
    return { status: 200, text: 'first', type: 'text/plain' };
  };
  const { url } = await serve(t, { routes: [route({ path: '/x', handle })] });
  const text = sendRaw(url, 'GET /x HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n');
  release.resolve();
  t.match(await text, /^(HTTP\/1\.1 (200 OK|400 )|$)/);
  t.notMatch(await text, /first[\s\S]*HTTP[\s\S]*first/);
});

t.test('pipelined requests are answered in order', async (t) => {
  const { url } = await serve(t, {
    routes: [
      route({
        path: '/:id',
        handle: async ({ params }) => ({ status: 200, text: `<${params.id}>`, type: 'text/plain' }),
      }),
    ],
  });
  const get = (id: number, close = '') => `GET /${id} HTTP/1.1\r\nHost: x\r\n${close}\r\n`;
  const text = await sendRaw(url, get(1) + get(2) + get(3, 'Connection: close\r\n'));
  t.same(text.match(/<\d>/g), ['<1>', '<2>', '<3>']);
});

function echoUpgrade(changes: Partial<Upgrade> = {}): Upgrade {
  const server = new WebSocketServer({ noServer: true });
  return {
    path: '/agents/connect',
    access: { kind: 'agent' },
    accept(request, socket, head, { principal }) {
      server.handleUpgrade(request, socket, head, (channel) => {
        channel.send(principal.id);
        channel.on('message', (data) => channel.send(String(data)));
      });
    },
    ...changes,
  };
}

const AGENT = { authorization: 'Bearer svc_agt_one' };

function open(url: string, path: string, headers: Record<string, string>): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers });
    socket.once('message', () => resolve(socket));
    socket.once('error', reject);
  });
}

const next = (socket: WebSocket) =>
  new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))));
const closed = (socket: WebSocket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

const WS =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const handshake = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${WS}${headers}\r\n`;

t.test('a WebSocket is admitted like a route', async (t) => {
  const { url, lines } = await serve(t, {
    routes: [route({ path: '/plain' })],
    upgrades: [echoUpgrade(), echoUpgrade({ path: '/orgs/:org/connect', access: { kind: 'org', role: 'member' } })],
  });
  const socket = await open(url, '/agents/connect', AGENT);
  socket.send('hello');
  t.equal(await next(socket), 'hello');
  socket.close();
  await closed(socket);
  const auth = (header: string) => `Authorization: ${header}\r\n`;
  const refusals: [string, string, number][] = [
    ['/agents/connect', '', 401],
    ['/agents/connect', auth('Bearer svc_agt_two'), 401],
    ['/agents/connect', auth(ADA.authorization), 403],
    ['/orgs/other/connect', auth(ADA.authorization), 404],
    ['/orgs/%zz/connect', auth(ADA.authorization), 400],
    ['/orgs/%00/connect', auth(ADA.authorization), 400],
    ['/agents/connect', 'Host: y\r\n', 400],
    ['/agents/connect', auth(AGENT.authorization).repeat(2), 400],
  ];
  for (const [path, headers, status] of refusals) {
    const problem = problemIn(await sendRaw(url, handshake(path, headers)));
    t.equal(problem.status, status, `${path} ${headers}`);
    t.match(problem.head, /connection: close/i);
    if (status === 401) t.match(problem.head, /www-authenticate: Bearer/i);
  }
  t.match(await sendRaw(url, handshake('/nowhere', 'Connection: close\r\n')), /^HTTP\/1\.1 404 /);
  t.match(
    await sendRaw(url, handshake('/agents/connect', auth(AGENT.authorization)).replace('GET', 'POST')),
    /^HTTP\/1\.1 405 /,
  );
  t.match(
    await sendRaw(url, `GET /plain HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n`),
    /^HTTP\/1\.1 200 /,
    'an upgrade that is not offered is passed over',
  );
  const plain = await ask(url, '/agents/connect', { headers: AGENT });
  t.match(plain.json, { status: 426, code: 'upgrade_required' });
  t.equal(plain.headers.upgrade, 'websocket');
  t.match((await ask(url, '/api/v1/openapi.json')).json, {
    paths: { '/agents/connect': { get: { operationId: 'upgradeAgentsConnect', security: [{ agent: [] }] } } },
  });
  t.ok(
    lines.some(
      ({ fields }) => fields.status === 101 && fields.route === '/agents/connect' && fields.principal === 'tok_one',
    ),
  );
  t.notMatch(JSON.stringify(lines), /svc_agt|svc_pat/);
});

t.test('an upgrade that fails, and one whose caller leaves while it is being admitted', async (t) => {
  const asked = Promise.withResolvers<void>();
  const admit = Promise.withResolvers<void>();
  let accepted = 0;
  const slow = {
    ...control,
    async authenticate(authorization: string | undefined, ip: string) {
      if (authorization === 'Bearer boom') throw new Error('hunter2');
      asked.resolve();
      await admit.promise;
      return control.authenticate(authorization, ip);
    },
  };
  const accept = (_request: unknown, socket: Duplex) => {
    accepted++;
    socket.destroy();
  };
  const { url, lines } = await serve(t, { upgrades: [echoUpgrade({ accept })], control: slow });
  const failed = await sendRaw(url, handshake('/agents/connect', 'Authorization: Bearer boom\r\n'));
  t.equal(problemIn(failed).status, 500);
  t.notMatch(failed, /hunter2/);
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(handshake('/agents/connect', `Authorization: ${AGENT.authorization}\r\n`));
  await asked.promise;
  const gone = new Promise((resolve) => socket.once('close', resolve));
  socket.resetAndDestroy();
  await gone;
  // Another exchange with the server, so that it has seen the reset before the test continues.
  await ask(url, '/healthz');
  admit.resolve();
  await ask(url, '/healthz');
  t.equal(accepted, 0);
  t.equal(lines.filter(({ level }) => level === 'error').length, 1, 'the failure, and nothing else');
});

t.test('sockets at the end: told, given until the bound, then cut', async (t) => {
  for (const graceful of [true, false]) {
    let told = 0;
    const upgrade = echoUpgrade(graceful ? { drain: () => told++ } : {});
    const { http, url } = await serve(t, { upgrades: [upgrade], limits: { drain_tick_ms: 5 } });
    const socket = await open(url, '/agents/connect', AGENT);
    socket.on('error', () => undefined);
    const started = performance.now();
    const end = closed(socket);
    await http.close(graceful ? 80 : 60_000);
    await end;
    if (graceful) t.ok(performance.now() - started >= 75, 'an owner that says goodbye gets until the bound');
    else t.ok(performance.now() - started < 50_000, 'one that does not is not waited for');
    t.equal(told, graceful ? 1 : 0);
  }
});

t.test('an owner that closes its sockets ends the drain', async (t) => {
  const sockets: Duplex[] = [];
  const upgrade = echoUpgrade();
  const accept: Upgrade['accept'] = (request, socket, head, caller) => {
    sockets.push(socket);
    upgrade.accept(request, socket, head, caller);
  };
  const drain = () => {
    for (const socket of sockets) socket.end();
  };
  const { http, url } = await serve(t, { upgrades: [{ ...upgrade, accept, drain }] });
  const socket = await open(url, '/agents/connect', AGENT);
  socket.on('error', () => undefined);
  await http.close(60_000);
  t.pass('long before the bound');
});

t.test('a problem in an answer to bad HTTP carries the catalogue', async (t) => {
  const { url } = await serve(t, {});
  t.equal(problemIn(await sendRaw(url, 'nonsense\r\n\r\n')).code, Errors.invalidRequest.code);
});
