import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import type { EgressRequest } from '../../../kernel/contracts/index.ts';
import { readAllowList } from './allow-list.ts';
import { readRatio } from './ratio.ts';
import type { Resolver } from './connect.ts';
import { EgressClient, type EgressOptions } from './egress.ts';
import { addressOf, specialUse } from './special-addresses.ts';
import { selfSigned } from './testing/certificate.ts';
import { systemClock } from '../../../test/kit/services.ts';

const own = readAllowList('dev', undefined);
const nothing = readAllowList('server', undefined);

function client(t: Test, parts: Partial<EgressOptions> = {}): EgressClient {
  const egress = new EgressClient({ allow: own, clock: systemClock, version: '0.0.0', ...parts });
  t.teardown(() => egress.close());
  return egress;
}

interface Far {
  port: number;
  connections: () => number;
  seen: IncomingMessage[];
}

async function listening(t: Test, server: Server, host: string): Promise<Far> {
  let connections = 0;
  const seen: IncomingMessage[] = [];
  server.on('connection', () => (connections += 1));
  server.on('request', (request: IncomingMessage) => seen.push(request));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  t.teardown(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { port: (server.address() as AddressInfo).port, connections: () => connections, seen };
}

const far = (t: Test, answer: RequestListener, host = '127.0.0.1') => listening(t, createServer(answer), host);
const hello: RequestListener = (_, response) => response.end('hello');

const get = (url: string, more: Partial<EgressRequest> = {}): EgressRequest => ({ method: 'GET', url, ...more });

t.test('every special-purpose address is known, in every form', async (t) => {
  const special = [
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.88.99.1',
    '192.168.1.1',
    '192.175.48.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.7',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::10.0.0.1',
    '100::1',
    '100:0:0:1::1',
    '2001::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:c0a8:101::1',
    '2620:4f:8000::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%1',
    'fec0::1',
    'ff02::1',
  ];
  for (const address of special) t.type(specialUse(addressOf(address)), 'string', address);
  const open = [
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '192.0.1.1',
    '198.17.255.255',
    '198.20.0.1',
    '223.255.255.255',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2001:4860:4860::8888',
    '2606:4700::1111',
    '2a00:1450::1',
  ];
  for (const address of open) t.equal(specialUse(addressOf(address)), undefined, address);
});

t.test('no spelling of an address reaches what may not be reached', async (t) => {
  const { port, connections } = await far(t, hello, '::');
  const answers: Record<string, string> = {
    'inside.example': '127.0.0.1',
    'mapped.example': '::ffff:127.0.0.1',
    'metadata.example': '169.254.169.254',
    'six.example': '::1',
    localhost: '127.0.0.1',
    'localhost.': '127.0.0.1',
  };
  const resolve: Resolver = async (name) => [{ address: answers[name] ?? '0.0.0.0', family: 4 }];
  const egress = client(t, { allow: nothing, resolve });
  const hosts = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.0.0.1.',
    '2130706433',
    '0x7f000001',
    '0x7f.0x0.0x0.0x1',
    '0177.0.0.1',
    '017700000001',
    '%31%32%37.0.0.1',
    '１２７.０.０.１',
    '127。0。0。1',
    '0',
    '0.0.0.0',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0000::ffff:7f00:0001]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '169.254.169.254',
    ...Object.keys(answers),
    'LOCALHOST',
    'Inside.Example',
  ];
  for (const host of hosts)
    for (const scheme of ['http', 'https'])
      await t.rejects(egress.request(get(`${scheme}://${host}:${port}/`)), { code: 'egress_refused' }, host);
  t.equal(connections(), 0, 'nothing was connected to');
});

t.test('a name is resolved once a connection, and all its addresses count', async (t) => {
  const { port, connections } = await far(t, hello, '0.0.0.0');
  let asked = 0;
  const flips: Resolver = async () => {
    asked += 1;
    return [{ address: asked % 2 === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
  };
  const allow = readAllowList('server', '127.0.0.1');
  const flipping = client(t, { allow, resolve: flips });
  const url = `http://flip.example:${port}/`;
  t.equal((await flipping.request(get(url))).body.toString(), 'hello');
  t.same([asked, connections()], [1, 1], 'what was checked is what was connected to');
  await flipping.close();
  const again = client(t, { allow, resolve: flips });
  await t.rejects(again.request(get(url)), { code: 'egress_refused', message: /flip\.example .*loopback/ });
  t.same([asked, connections()], [2, 1]);
  const both: Resolver = async () => [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
  ];
  await t.rejects(client(t, { allow, resolve: both }).request(get(url)), { code: 'egress_refused' });
  const odd: Resolver = async () => [{ address: 'not an address', family: 4 }];
  await t.rejects(client(t, { allow, resolve: odd }).request(get(url)), { code: 'egress_refused' });
  const none: Resolver = async () => [];
  await t.rejects(client(t, { allow, resolve: none }).request(get(url)), { code: 'egress_failed' });
  t.equal(connections(), 1);
  const trusted = client(t, { allow: readAllowList('server', 'flip.example'), resolve: both });
  t.equal((await trusted.request(get(url))).status, 200, 'a name that the operator vouches for');
});

t.test('what the operator permits', async (t) => {
  const allow = readAllowList('server', ' 10.1.0.0/16, 127.0.0.1,fd00::/8 ,Forge.Internal.,*.corp.example');
  t.equal(allow.findObstacle('10.1.2.3'), undefined);
  t.equal(allow.findObstacle('::ffff:10.1.2.3'), undefined, 'mapped is the same address');
  t.equal(allow.findObstacle('10.2.0.1'), 'private');
  t.equal(allow.findObstacle('127.0.0.2'), 'loopback');
  t.equal(allow.findObstacle('fd12::1'), undefined);
  t.equal(allow.findObstacle('8.8.8.8'), undefined);
  t.ok(allow.allowsName('forge.internal'));
  t.ok(allow.allowsName('forge.internal.'));
  t.ok(allow.allowsName('a.b.corp.example'));
  t.notOk(allow.allowsName('corp.example'));
  t.notOk(allow.allowsName('evilcorp.example'));
  t.notOk(allow.allowsName('x.forge.internal'));
  t.equal(readAllowList('dev', undefined).findObstacle('127.0.0.1'), undefined);
  t.equal(readAllowList('local', '').findObstacle('::1'), undefined);
  t.equal(readAllowList('dev', 'none').findObstacle('127.0.0.1'), 'loopback');
  t.equal(readAllowList('agent', undefined).findObstacle('127.0.0.1'), 'loopback');
  for (const wrong of ['10.0.0.0/33', '10.0.0.0/', '10.1', 'a b', 'http://x', '*', 'x:80', '256.1.1.1', '-a', 'a..b'])
    t.throws(() => readAllowList('server', wrong), { code: 'setting_invalid' }, wrong);
  t.throws(() => readAllowList('server', 'a.example, https://user:canary-key@proxy.example, b.example'), {
    code: 'setting_invalid',
    message: /^(?!.*canary).*"https:\/\/\*\*\*@proxy\.example" is not valid/,
  });
});

t.test('requests go out as they were given, and answers come back whole', async (t) => {
  const { port, seen } = await far(t, (request, response) => {
    response.setHeader('X-Many', ['a', 'b']).writeHead(418);
    request.pipe(response);
  });
  const egress = client(t);
  const url = `http://localhost:${port}/a%20b?x=%2F#gone`;
  const body = Buffer.from([0, 255, 10]);
  const answer = await egress.request({ method: 'PATCH', url, headers: { 'X-One': 'ü' }, body });
  t.equal(answer.status, 418);
  t.same(answer.body, body);
  t.equal(answer.headers['x-many'], 'a, b');
  const [request] = seen;
  t.match(request, { method: 'PATCH', url: '/a%20b?x=%2F' });
  t.match(request!.headers, { host: `localhost:${port}`, 'user-agent': 'svc/0.0.0', 'content-length': '3' });
  t.same(Buffer.from(request!.headers['x-one'] as string, 'latin1'), Buffer.from([0xfc]));
});

t.test('redirects are answers', async (t) => {
  const { port, seen } = await far(t, (_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
  const answer = await client(t).request(get(`http://127.0.0.1:${port}/`));
  t.equal(answer.status, 302);
  t.equal(answer.headers.location, '/elsewhere');
  t.equal(seen.length, 1);
});

t.test('requests that could carry another one, or a secret elsewhere, are not sent', async (t) => {
  const { port, connections } = await far(t, hello);
  const egress = client(t);
  const url = `http://127.0.0.1:${port}/`;
  const headers: Record<string, string>[] = [
    { 'x-a': 'one\r\nx-b: two' },
    { 'x-a': 'one\ntwo' },
    { 'x-a': 'one\0' },
    { 'x-a': '\u2028' },
    { 'x a': 'one' },
    { '': 'one' },
    { 'x:a': 'one' },
    { Host: 'elsewhere' },
    { 'Content-Length': '0' },
    { 'transfer-encoding': 'chunked' },
    { connection: 'upgrade' },
    { 'X-A': 'one', 'x-a': 'two' },
  ];
  for (const [nth, one] of headers.entries())
    await t.rejects(egress.request(get(url, { headers: one })), { code: 'egress_refused' }, `headers ${nth}`);
  const refusal = await egress.request(get(url, { headers: { 'x-a': 'hunter2\n' } })).catch((error: Error) => error);
  t.notMatch((refusal as Error).message, /hunter2/);
  for (const other of [
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'data:text/plain,x',
    'nothing',
    `http://user:hunter2@127.0.0.1:${port}/`,
  ]) {
    const error = await egress.request(get(other)).catch((fault: Error) => fault);
    t.match(error, { code: 'egress_refused' }, other);
    t.notMatch((error as Error).message, /hunter2/);
  }
  for (const method of ['CONNECT', 'TRACE', 'get', 'GET / HTTP/1.1\r\n'])
    await t.rejects(egress.request({ method, url }), { code: 'egress_refused' }, method.slice(0, 7));
  t.equal(connections(), 0);
});

t.test('failures are told without what may be secret', async (t) => {
  const closed = await far(t, hello);
  const egress = client(t);
  const { port } = await far(t, ({ socket }) => socket.destroy());
  const told = async (request: EgressRequest) => {
    const error = await egress.request(request).catch((fault: Error) => fault);
    t.match(error, { code: 'egress_failed' });
    return (error as Error).message;
  };
  t.equal(
    await told(get(`http://127.0.0.1:${port}/a?key=hunter2#x`)),
    `http://127.0.0.1:${port}/a: the connection broke`,
  );
  const shown_url = `http://127.0.0.1:${port}/bot{credential}/send`;
  t.equal(
    await told(get(`http://127.0.0.1:${port}/bothunter2/send`, { redacted_url: shown_url })),
    `${shown_url}: the connection broke`,
  );
  const nowhere = client(t, {
    resolve: () => Promise.reject(Object.assign(new Error('hunter2'), { code: 'ENOTFOUND' })),
  });
  await t.rejects(nowhere.request(get('http://nowhere.example/')), {
    message: 'http://nowhere.example/: the host name cannot be resolved',
  });
  const broken = await far(t, ({ socket }) => socket.end('HTTP/1.1 nonsense\r\n\r\n'));
  t.equal(
    await told(get(`http://127.0.0.1:${broken.port}/`)),
    `http://127.0.0.1:${broken.port}/: the response is not valid HTTP`,
  );
  t.equal(closed.connections(), 0);
});

t.test('time and size are bounded, also of what is compressed', async (t) => {
  const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024));
  const bodies: Record<string, [encoding: string, body: Buffer]> = {
    '/gzip': ['gzip', gzipSync('text')],
    '/deflate': ['deflate', deflateSync('text')],
    '/br': ['BR', brotliCompressSync('text')],
    '/plain': ['identity', Buffer.from('text')],
    '/bomb': ['gzip', bomb],
    '/large': ['', Buffer.alloc(1001)],
    '/exact': ['', Buffer.alloc(1000)],
    '/broken': ['gzip', Buffer.from('no gzip')],
    '/cut': ['gzip', gzipSync('text'.repeat(50)).subarray(0, 20)],
    '/odd': ['compress', Buffer.from('text')],
    '/twice': ['gzip, gzip', gzipSync(gzipSync('text'))],
  };
  const { port } = await far(t, ({ url }, response) => {
    const [encoding, body] = bodies[url!] ?? ['', undefined];
    if (encoding !== '') response.setHeader('Content-Encoding', encoding);
    if (body) response.end(body);
    else if (url === '/dripping') response.write('x');
  });
  const egress = client(t);
  const ask = (path: string) =>
    egress.request(get(`http://127.0.0.1:${port}${path}`, { max_bytes: 1000, timeout_ms: 2000 }));
  for (const path of ['/gzip', '/deflate', '/br', '/plain']) t.equal((await ask(path)).body.toString(), 'text', path);
  t.equal((await ask('/exact')).body.length, 1000);
  t.equal((await egress.request({ method: 'HEAD', url: `http://127.0.0.1:${port}/gzip` })).status, 200);
  const before = process.memoryUsage().rss;
  for (const path of ['/bomb', '/large', '/broken', '/cut', '/odd', '/twice'])
    await t.rejects(ask(path), { code: 'egress_failed', message: /the response/ }, path);
  t.ok(process.memoryUsage().rss - before < 128 * 1024 * 1024, 'a bomb is not unpacked');
  for (const path of ['/silent', '/dripping'])
    await t.rejects(ask(path), { code: 'egress_failed', message: /no response within 2000 ms/ }, path);
  t.equal((await ask('/plain')).status, 200, 'and the client goes on');
});

t.test('a few bytes do not become gigabytes for who takes a large answer whole', async (t) => {
  const MIB = 1024 * 1024;
  const text = Buffer.from(Array.from({ length: 120_000 }, (_, n) => `${n} ${Math.sin(n)}\n`).join(''));
  const bodies: Record<string, [encoding: string, body: Buffer]> = {
    '/gzip': ['gzip', gzipSync(Buffer.alloc(64 * MIB))],
    '/deflate': ['deflate', deflateSync(Buffer.alloc(64 * MIB))],
    '/br': ['br', brotliCompressSync(Buffer.alloc(32 * MIB))],
    '/text': ['gzip', gzipSync(text)],
    '/small': ['gzip', gzipSync(Buffer.alloc(MIB))],
  };
  const { port } = await far(t, ({ url }, response) => {
    const [encoding, body] = bodies[url!]!;
    response.setHeader('Content-Encoding', encoding).end(body);
  });
  const taken = async (egress: EgressClient, path: string) => {
    let bytes = 0;
    const spill = () => async (content: AsyncIterable<Buffer>) => {
      for await (const chunk of content) bytes += chunk.length;
    };
    const failure = await egress.request(get(`http://127.0.0.1:${port}${path}`, { spill })).then(
      () => undefined,
      (error: unknown) => error,
    );
    return { bytes, failure };
  };
  const egress = client(t);
  for (const path of ['/gzip', '/deflate', '/br']) {
    const { bytes, failure } = await taken(egress, path);
    t.match(failure, { code: 'answer_ratio_exceeded', message: /100 times .*SVC_DECOMPRESSION_RATIO/ }, path);
    t.ok(bytes < 16 * MIB, `${path}: ${bytes} bytes came out`);
  }
  t.same(await taken(egress, '/text'), { bytes: text.length, failure: undefined });
  t.same(await taken(egress, '/small'), { bytes: 0, failure: undefined }, 'what is kept whole has its own limit');
  const any = client(t, { ratio: Infinity });
  t.same(await taken(any, '/gzip'), { bytes: 64 * MIB, failure: undefined });
});

t.test('the bound of decompression is a setting', (t) => {
  t.equal(readRatio(undefined), 100);
  t.equal(readRatio(' '), 100);
  t.equal(readRatio('250'), 250);
  t.equal(readRatio('off'), Infinity);
  for (const wrong of ['0', '1', '-5', '1e3', '100000', 'on'])
    t.throws(() => readRatio(wrong), { code: 'setting_invalid', message: /SVC_DECOMPRESSION_RATIO/ }, wrong);
  t.end();
});

t.test('certificates are checked, for the name that was asked for', async (t) => {
  const { key, cert } = selfSigned(['forge.example', '127.0.0.1']);
  const named: unknown[] = [];
  const server = createTlsServer({ key, cert }, (request, response) => {
    named.push((request.socket as TLSSocket).servername);
    response.end(request.headers.host);
  });
  const { port } = await listening(t, server, '127.0.0.1');
  const resolve: Resolver = async () => [{ address: '127.0.0.1', family: 4 }];
  const egress = client(t, { resolve, ca: cert });
  const answer = await egress.request(get(`https://forge.example:${port}/`));
  t.equal(answer.body.toString(), `forge.example:${port}`);
  t.equal(named[0], 'forge.example');
  t.equal((await egress.request(get(`https://127.0.0.1:${port}/`))).status, 200);
  await t.rejects(egress.request(get(`https://other.example:${port}/`)), {
    code: 'egress_failed',
    message: /certificate/,
  });
  const strict = client(t, { resolve });
  await t.rejects(strict.request(get(`https://forge.example:${port}/`)), {
    code: 'egress_failed',
    message: /certificate/,
  });
  const plain = await far(t, hello);
  await t.rejects(strict.request(get(`https://127.0.0.1:${plain.port}/`)), { code: 'egress_failed', message: /TLS/ });
});

t.test('closing breaks what is under way', async (t) => {
  const { port, seen } = await far(t, () => undefined);
  const egress = new EgressClient({ allow: own, clock: systemClock, version: '0.0.0' });
  const asked = t.rejects(egress.request(get(`http://127.0.0.1:${port}/`)), { code: 'egress_failed' });
  while (seen.length === 0) await new Promise((go) => setImmediate(go));
  await egress.close();
  await asked;
});

t.test('a caller is told before the first byte of its request leaves, and not when none does', async (t) => {
  const { port, seen } = await far(t, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => response.end(Buffer.concat(chunks)));
  });
  const egress = client(t);
  let sent = 0;
  const post = (url: string, more: Partial<EgressRequest> = {}) =>
    egress.request({ method: 'POST', url, body: Buffer.from('a=1&b=2'), sending: () => (sent += 1), ...more });
  for (let i = 1; i <= 2; i++) {
    t.equal((await post(`http://127.0.0.1:${port}/`)).body.toString(), 'a=1&b=2');
    t.equal(sent, i);
  }
  t.equal(seen[0]?.headers['content-length'], '7');
  t.equal(seen[0]?.headers['transfer-encoding'], undefined);
  sent = 0;
  const free = await far(t, hello);
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const { port: closed } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  await t.rejects(post(`http://127.0.0.1:${closed}/`), { code: 'egress_failed' });
  await t.rejects(post('http://192.0.2.1/'), { code: 'egress_refused' });
  await t.rejects(
    client(t, { allow: nothing }).request({
      ...get(`http://127.0.0.1:${free.port}/`),
      method: 'POST',
      body: Buffer.from('x'),
      sending: () => (sent += 1),
    }),
    { code: 'egress_refused' },
  );
  t.equal(sent, 0, 'refused connections and addresses send nothing');
  const cutting = await far(t, (request) => request.socket.destroy());
  await t.rejects(post(`http://127.0.0.1:${cutting.port}/`), { code: 'egress_failed' });
  t.equal(sent, 1, 'a lost answer is one to a request that left');
  const silent = await far(t, () => undefined);
  await t.rejects(post(`http://127.0.0.1:${silent.port}/`, { timeout_ms: 2000 }), { code: 'egress_failed' });
  t.equal(sent, 2);
});
