import { Agent } from 'node:http';
import { Readable } from 'node:stream';
import { brotliCompressSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { type AccessControl, Errors, type HttpRequest, type Route } from '../../../kernel/contracts/index.ts';
import { ADA, ask, assemble, control, postJson, route, sendRaw, type TestParts } from './testing/test-server.ts';

async function serve(t: Test, parts: TestParts) {
  const { http, lines } = assemble(parts);
  await http.listen();
  t.teardown(() => http.close(0));
  return { http, lines, url: http.base_url() };
}

const echo = async ({ params, query, body, scope, principal, raw }: HttpRequest) => ({
  status: 200,
  json: { params, query, body, scope, principal: principal?.id, bytes: raw.length },
});

t.test('a route gets its parameters, query, scope and principal', async (t) => {
  const path = '/api/v1/orgs/:org/projects/:project/runs/:run';
  const query = {
    type: 'object',
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: 200 },
      on: { type: 'boolean' },
      tag: { type: 'string' },
    },
  };
  const { url } = await serve(t, {
    routes: [route({ path, access: { kind: 'project', role: 'member' }, query, handle: echo })],
  });
  const good = await ask(url, '/api/v1/orgs/acme/projects/main/runs/a%2Fb%20c?limit=7&on=true&tag=1&tag=2+3', {
    headers: ADA,
  });
  t.equal(good.status, 200);
  t.same(good.json.params, { org: 'acme', project: 'main', run: 'a/b c' });
  t.same(good.json.query, { limit: '7', on: 'true', tag: '2 3' }, 'texts, the last of a repeated key');
  t.match(good.json, { principal: 'usr_ada', scope: { org_id: 'org_1', project: 'main' } });
  for (const [search, pointer] of [
    ['limit=0', '/query/limit'],
    ['limit=201', '/query/limit'],
    ['limit=1.5', '/query/limit'],
    ['limit=abc', '/query/limit'],
    ['limit=', '/query/limit'],
    ['limit=0x10', '/query/limit'],
    ['limit=1e2', '/query/limit'],
    ['limit=%201', '/query/limit'],
    ['on=yes', '/query/on'],
    ['other=1', '/query/other'],
    ['__proto__=1', '/query/__proto__'],
    ['constructor=1', '/query/constructor'],
  ] as const) {
    const { status, json } = await ask(url, `/api/v1/orgs/acme/projects/main/runs/1?${search}`, { headers: ADA });
    t.equal(status, 400, search);
    t.match(json, { code: 'invalid_request', errors: [{ pointer }] }, search);
  }
});

t.test('what is not found is looked for again where this server may be behind', async (t) => {
  let calls = 0;
  let waits = 0;
  const handle = async ({ query }: HttpRequest) => {
    calls += 1;
    if (query.is !== 'there' || waits === 0) throw Errors.notFound('nothing here');
    return { status: 200, json: {} };
  };
  const query = { type: 'object', properties: { is: { type: 'string' } } };
  const routes = [route({ path: '/late', query, handle })];
  const catchUp = async () => ++waits > 0;
  const { url } = await serve(t, { routes, catchUp });
  t.equal((await ask(url, '/late?is=there')).status, 200);
  t.equal((await ask(url, '/late?is=nowhere')).status, 404);
  t.same([calls, waits], [4, 2]);
  const sure = await serve(t, { routes });
  t.equal((await ask(sure.url, '/late')).status, 404);
  t.equal(calls, 5);
});

t.test('a route without a query schema takes no query', async (t) => {
  const { url } = await serve(t, { routes: [route({ path: '/plain' })] });
  t.equal((await ask(url, '/plain')).status, 200);
  t.equal((await ask(url, '/plain?')).status, 200);
  t.match((await ask(url, '/plain?x=1')).json, { status: 400, errors: [{ pointer: '/query/x' }] });
});

t.test('every refusal is a problem document', async (t) => {
  const teapot = Errors.unavailable('come back', { retryAfterMs: 1200, data: { held_by: 'x', status: 1, code: 'no' } });
  const bad: Record<string, () => Promise<never>> = {
    '/known': () => Promise.reject(teapot),
    '/unknown': () => Promise.reject(new Error('password=hunter2')),
    '/text': () => Promise.reject('hunter2'),
    '/nothing': () => Promise.reject(undefined),
    '/sync': () => {
      throw new TypeError('hunter2');
    },
    '/stopped': () => Promise.reject(Errors.notFound('no run "\ud800"')),
  };
  const routes: Route[] = Object.entries(bad).map(([path, handle]) => route({ path, handle }));
  routes.push(route({ path: '/undefined', handle: async () => undefined as never }));
  routes.push(route({ path: '/status', handle: async () => ({ status: 42, json: {} }) }));
  const cycle: Record<string, unknown> = {};
  cycle.cycle = cycle;
  routes.push(route({ path: '/cyclic', handle: async () => ({ status: 200, json: cycle }) }));
  routes.push(route({ path: '/header', handle: async () => ({ status: 200, json: 1, headers: { 'X-A': 'a\r\nb' } }) }));
  const { url, lines } = await serve(t, { routes });

  const known = await ask(url, '/known', { headers: { 'X-Request-Id': 'abc-1' } });
  t.equal(known.status, 503);
  t.equal(known.headers['content-type'], 'application/problem+json');
  t.equal(known.headers['retry-after'], '2');
  t.equal(known.headers['x-request-id'], 'abc-1');
  t.same(known.json, {
    held_by: 'x',
    type: 'urn:svc:problem:unavailable',
    title: Errors.unavailable.title,
    status: 503,
    detail: 'come back',
    code: 'unavailable',
    next: Errors.unavailable.next,
    docs: '/docs/errors#unavailable',
    request_id: 'abc-1',
  });
  for (const path of ['/unknown', '/text', '/nothing', '/sync', '/undefined', '/status', '/cyclic', '/header']) {
    const { status, json, text } = await ask(url, path);
    t.equal(status, 500, path);
    t.match(json, { code: 'internal', status: 500 }, path);
    t.notMatch(text, /hunter2/, path);
    const logged = lines.find(({ level, fields }) => level === 'error' && fields.request_id === json.request_id);
    t.equal(logged?.fields.route, path, 'the log has the cause under the request id');
  }
  t.equal((await ask(url, '/stopped')).status, 404);
});

t.test('paths and methods that are not there', async (t) => {
  const routes = [
    route({ path: '/things/:id' }),
    route({ path: '/things/:id', method: 'DELETE' }),
    route({ path: '/new', method: 'POST' }),
  ];
  const { url } = await serve(t, { routes });
  t.match((await ask(url, '/nowhere')).json, { status: 404, code: 'not_found' });
  t.match((await ask(url, '/things/')).json, { status: 404 });
  const wrong = await ask(url, '/things/1', { method: 'PUT' });
  t.match(wrong.json, { status: 405, code: 'method_not_allowed' });
  t.same(String(wrong.headers.allow).split(', ').sort(), ['DELETE', 'GET', 'HEAD', 'OPTIONS']);
  t.equal((await ask(url, '/things/1', { method: 'PROPFIND' })).status, 405);
  const options = await ask(url, '/new', { method: 'OPTIONS' });
  t.equal(options.status, 204);
  t.equal(options.headers.allow, 'POST, OPTIONS');
  t.equal((await ask(url, '/nowhere', { method: 'OPTIONS' })).status, 404);
  t.match(await sendRaw(url, 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), /^HTTP\/1\.1 204 /);
  const get = await ask(url, '/things/1');
  const head = await ask(url, '/things/1', { method: 'HEAD' });
  t.equal(head.status, 200);
  t.equal(head.text, '');
  t.equal(head.headers['content-length'], get.headers['content-length']);
});

t.test('a path that is not a path is refused, whatever it holds', async (t) => {
  const { url } = await serve(t, {
    routes: [route({ path: '/things/:id', handle: echo }), route({ path: '/files/*', handle: echo })],
  });
  for (const path of [
    '/things/%',
    '/things/%zz',
    '/things/%00',
    '/things/%0a',
    '/things/%c3%28',
    '/things/%ed%a0%80',
    '/things/..',
    '/things/%2e%2e',
    '/files/a/../b',
    '/files/a%2f..%2fb',
    '/files/..%5cb',
    '/things/a\\b',
    '/things/1?x=%zz',
    '/things/1?x=%00',
    '/things/1?x=%ff',
    `/things/${'x'.repeat(513)}`,
  ]) {
    const { status, json } = await ask(url, path);
    t.equal(status, 400, path);
    t.equal(json.code, 'invalid_request', path);
  }
  t.match((await ask(url, `/things/${'x'.repeat(9000)}`)).json, { status: 414, code: 'target_too_long' });
  t.equal((await ask(url, `/things/${'x'.repeat(512)}`)).status, 200);
  t.same((await ask(url, '/things/%E2%82%AC%25')).json.params, { id: '€%' });
  t.same((await ask(url, '/things/...')).json.params, { id: '...' });
  t.same((await ask(url, '/files/a/b%20c/d.txt')).json.params, { '*': 'a/b c/d.txt' });
});

t.test('the policy: nothing is served before who and whether', async (t) => {
  const seen: string[] = [];
  const watched: AccessControl = {
    authenticate: (authorization, ip) => {
      seen.push(`authenticate ${ip}`);
      return control.authenticate(authorization, ip);
    },
    authorize: (principal, access, params) => {
      seen.push(`authorize ${access.kind}`);
      return control.authorize(principal, access, params);
    },
  };
  const handle = async () => {
    seen.push('handle');
    return { status: 204 };
  };
  const body = { type: 'object', required: ['x'], properties: { x: {} } };
  const routes = [
    route({ path: '/open', handle }),
    route({ path: '/user', access: { kind: 'user' }, handle }),
    route({ path: '/agent', access: { kind: 'agent' }, handle }),
    route({ path: '/orgs/:org/member', access: { kind: 'org', role: 'member' }, handle }),
    route({
      path: '/orgs/:org/projects/:project/admin',
      access: { kind: 'project', role: 'admin' },
      method: 'POST',
      body,
      handle,
    }),
  ];
  const { url } = await serve(t, { routes, control: watched });
  const status = async (path: string, headers = {}, method = 'GET') =>
    (await ask(url, path, { headers, method })).status;
  t.equal(await status('/open'), 204);
  t.same(seen.splice(0), ['handle']);
  t.equal(await status('/user'), 401);
  t.same(seen.splice(0), ['authenticate 127.0.0.1']);
  t.equal(await status('/user', ADA), 204);
  t.same(seen.splice(0), ['authenticate 127.0.0.1', 'authorize user', 'handle']);
  t.equal(await status('/agent', ADA), 403);
  t.equal(await status('/orgs/other/member', ADA), 404);
  t.equal(await status('/orgs/acme/projects/main/admin', ADA, 'POST'), 403, 'before the missing body is missed');
  t.equal(await status('/orgs/acme/projects/main/admin?x=1', {}, 'POST'), 401, 'before the query is looked at');
  t.notOk(seen.includes('handle'));
  t.equal((await ask(url, '/user')).headers['www-authenticate'], 'Bearer realm="svc"');
  const wrong = await ask(url, '/user', { headers: { authorization: 'Bearer svc_pat_secret' } });
  t.match(String(wrong.headers['www-authenticate']), /invalid_token/);
  t.notMatch(wrong.text, /svc_pat_secret/);
});

t.test('request ids, access log and metrics tell of patterns, never of queries, headers or bodies', async (t) => {
  const routes = [
    route({
      path: '/things/:id',
      method: 'POST',
      access: { kind: 'user' },
      query: { properties: { q: { type: 'string' } } },
      body: { type: 'object', properties: { s: { type: 'string' } } },
    }),
  ];
  const { url, lines } = await serve(t, { routes });
  await postJson(
    url,
    '/things/42?q=hunter2',
    { s: 'hunter2' },
    { ...ADA, 'X-Request-Id': 'mine.1', cookie: 'hunter2' },
  );
  const made = await postJson(url, '/things/43?secret=hunter2', {}, { ...ADA, 'X-Request-Id': 'not sane' });
  t.match(made.headers['x-request-id'], /^req_\d+$/);
  await ask(url, '/healthz');
  t.same(
    lines.filter(({ level }) => level === 'info').map(({ fields }) => ({ ...fields, duration_ms: 0 })),
    [
      {
        request_id: 'mine.1',
        method: 'POST',
        route: '/things/:id',
        status: 200,
        duration_ms: 0,
        bytes: 11,
        principal: 'usr_ada',
      },
      {
        request_id: made.headers['x-request-id'],
        method: 'POST',
        route: '/things/:id',
        status: 400,
        duration_ms: 0,
        bytes: made.text.length,
        principal: 'usr_ada',
      },
    ],
  );
  t.notMatch(JSON.stringify(lines), /hunter2|svc_pat|secret/);
  const { text, headers } = await ask(url, '/metrics');
  t.match(headers['content-type'], /^text\/plain; version=0\.0\.4/);
  t.match(text, /svc_http_request_duration_seconds_count\{method="POST",route="\/things\/:id",status="200"\} 1/);
  t.match(text, /process_resident_memory_bytes/);
  t.notMatch(text, /hunter2/);
});

t.test('health: the process lives, and is ready when every check says so', async (t) => {
  let calls = 0;
  let fault: Error | undefined;
  const checks = [
    {
      name: 'database',
      check: async () => {
        calls++;
        if (fault) throw fault;
      },
    },
    { name: 'slow', check: () => (fault ? new Promise<void>(() => undefined) : Promise.resolve()) },
  ];
  const { url, lines } = await serve(t, { checks, limits: { health_ms: 1000 } });
  t.same((await ask(url, '/healthz')).json, { status: 'ok' });
  t.same((await ask(url, '/readyz')).json, { status: 'ready' });
  fault = new Error('cannot reach root:hunter2@db');
  calls = 0;
  const [one, two] = await Promise.all([ask(url, '/readyz'), ask(url, '/readyz')]);
  t.match(one.json, { status: 503, code: 'unavailable', failing: ['database', 'slow'] });
  t.equal(one.headers['retry-after'], '1');
  t.equal(two.status, 503);
  t.equal(calls, 1, 'callers at once share one round of checks');
  t.notMatch(one.text, /hunter2/);
  t.ok(lines.some(({ fields }) => fields.check === 'slow'));
  fault = undefined;
  t.equal((await ask(url, '/readyz')).status, 200);
  t.equal((await ask(url, '/healthz', { method: 'HEAD' })).status, 200);
});

t.test('pages of the console', async (t) => {
  const index = Buffer.from('<!doctype html><title>svc</title>');
  const pages = [
    { path: '/', serve: async () => ({ body: index, type: 'text/html; charset=utf-8' }) },
    {
      path: '/console/*',
      serve: async (path: string) =>
        path === '/console/a b.js'
          ? { body: Buffer.from('1'), type: 'text/javascript' }
          : path === '/console/missing'
            ? { body: Buffer.from('none'), type: 'text/html', status: 404 }
            : undefined,
    },
  ];
  const { url } = await serve(t, { pages });
  const page = await ask(url, '/?utm=1');
  t.equal(page.text, index.toString());
  t.match(page.headers, {
    'content-type': 'text/html; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  t.match(page.headers['content-security-policy'], /default-src 'none'; script-src 'self'.*frame-ancestors 'none'/);
  const again = await ask(url, '/', { headers: { 'if-none-match': `"x", ${page.headers.etag}` } });
  t.equal(again.status, 304);
  t.equal(again.text, '');
  t.equal((await ask(url, '/', { headers: { 'if-none-match': '"x"' } })).status, 200);
  t.equal((await ask(url, '/console/missing', { headers: { 'if-none-match': '*' } })).status, 404);
  t.equal((await ask(url, '/', { method: 'HEAD' })).headers['content-length'], String(index.length));
  t.equal((await ask(url, '/console/a%20b.js')).text, '1');
  t.match((await ask(url, '/console/other')).json, { status: 404 });
  for (const path of ['/console/%00', '/console/..%2f..%2fetc/passwd', '/console/%2e%2e/x'])
    t.equal((await ask(url, path)).status, 400, path);
});

t.test('a page that is stored compressed is decompressed for programs that do not accept that', async (t) => {
  const text = '<!doctype html>'.repeat(100);
  const brotli = brotliCompressSync(text);
  const { url } = await serve(t, {
    pages: [{ path: '/docs', serve: async () => ({ brotli, type: 'text/html; charset=utf-8' }) }],
  });
  const plain = await ask(url, '/docs', { headers: { 'accept-encoding': 'gzip' } });
  t.equal(plain.text, text);
  t.equal(plain.headers['content-encoding'], undefined);
  t.equal(plain.headers.vary, 'Accept-Encoding');
  const compressed = await ask(url, '/docs', { method: 'HEAD', headers: { 'accept-encoding': 'br' } });
  t.match(compressed.headers, { 'content-encoding': 'br', 'content-length': String(brotli.length) });
  t.not(plain.headers.etag, compressed.headers.etag, 'other bytes have another ETag');
  for (const [encoding, etag] of [
    ['gzip', String(plain.headers.etag)],
    ['br', String(compressed.headers.etag)],
  ] as const)
    t.equal((await ask(url, '/docs', { headers: { 'accept-encoding': encoding, 'if-none-match': etag } })).status, 304);
});

t.test('streams: bytes as they come, ended by the caller, by an error, and not at all for HEAD', async (t) => {
  const open: Readable[] = [];
  const aborted = Promise.withResolvers<string>();
  const failing = Readable.from(
    (async function* () {
      yield 'a';
      throw new Error('hunter2');
    })(),
  );
  const routes = [
    route({
      path: '/stream',
      handle: async () => ({ status: 200, type: 'text/plain', stream: Readable.from(['a', 'b', 'c']) }),
    }),
    route({ path: '/broken', handle: async () => ({ status: 200, type: 'text/plain', stream: failing }) }),
    route({
      path: '/endless',
      handle: async ({ signal }) => {
        const stream = new Readable({ read: () => undefined });
        open.push(stream);
        stream.push(':hello\n\n');
        signal.addEventListener('abort', () => aborted.resolve((signal.reason as Error).message));
        return { status: 200, type: 'text/event-stream', stream };
      },
    }),
  ];
  const { url, lines } = await serve(t, { routes });
  t.equal((await ask(url, '/stream')).text, 'abc');
  t.equal((await ask(url, '/stream', { method: 'HEAD' })).text, '');
  await t.rejects(ask(url, '/broken'), { code: 'ECONNRESET' }, 'a half answer never looks like a whole one');
  t.ok(lines.some(({ fields }) => fields.route === '/broken' && fields.status === 500));
  const gone = new AbortController();
  const response = await fetch(`${url}/endless`, { signal: gone.signal });
  const reader = response.body!.getReader();
  t.equal(Buffer.from((await reader.read()).value!).toString(), ':hello\n\n', 'flushed at once');
  gone.abort();
  await reader.read().catch(() => undefined);
  t.equal(await aborted.promise, 'the caller closed the connection');
  if (!open[0]!.destroyed) await new Promise((resolve) => open[0]!.once('close', resolve));
  t.ok(open[0]!.destroyed, 'nobody feeds a stream without a reader');
  const head = await ask(url, '/endless', { method: 'HEAD' });
  t.equal(head.status, 200);
  t.ok(open[1]!.destroyed);
});

t.test("an answer that is ready when its caller has gone is nobody's fault", async (t) => {
  const reached = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const handle = async ({ signal }: { signal: AbortSignal }) => {
    reached.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    const stream = Readable.from(['late']);
    stream.once('close', () => ended.resolve());
    return { status: 200, type: 'text/plain', stream } as const;
  };
  const { url, lines } = await serve(t, { routes: [route({ path: '/late', handle })] });
  const caller = new AbortController();
  const answer = fetch(`${url}/late`, { signal: caller.signal });
  answer.catch(() => undefined);
  await reached.promise;
  caller.abort();
  await t.rejects(answer);
  await ended.promise;
  await ask(url, '/healthz');
  t.same(
    lines.filter(({ fields }) => fields.status === 500),
    [],
  );
});

t.test('many requests on one connection', async (t) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const { url } = await serve(t, { routes: [route({ path: '/x/:id', handle: echo })] });
  const answers = await Promise.all(Array.from({ length: 50 }, (_, id) => ask(url, `/x/${id}`, { agent })));
  t.same(
    answers.map(({ json }) => (json.params as { id: string }).id),
    Array.from({ length: 50 }, (_, id) => String(id)),
  );
});

t.test('a route with a wrong schema or a borrowed name stops the boot, naming it', async (t) => {
  t.throws(() => assemble({ routes: [route({ path: '/a', method: 'POST', body: { type: 'objct' } })] }), /POST \/a: /);
  t.throws(
    () => assemble({ routes: [route({ path: '/a', operation: 'x' }), route({ path: '/b', operation: 'x' })] }),
    /GET \/b and GET \/a both have the operation x/,
  );
});

t.test('the headers of a route replace those of the service, however they are written', async (t) => {
  const headers = { 'cache-control': 'max-age=60', 'referrer-policy': 'same-origin', 'X-Own': 'yes' };
  const { url } = await serve(t, {
    routes: [route({ path: '/own', handle: async () => ({ status: 200, json: {}, headers }) })],
  });
  const answer = await sendRaw(url, 'GET /own HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  t.same(answer.match(/^cache-control: .*$/gim), ['Cache-Control: max-age=60']);
  t.same(answer.match(/^referrer-policy: .*$/gim), ['Referrer-Policy: same-origin']);
  t.match(answer, /^X-Own: yes\r$/m);
});
