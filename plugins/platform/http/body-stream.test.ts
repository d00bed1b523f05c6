import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { Errors, type HttpRequest, type Route } from '../../../kernel/contracts/index.ts';
import { until } from '../../../test/kit/index.ts';
import { ADA, ask, assemble, route, sendRaw, type TestParts } from './testing/test-server.ts';

/** Reads a body to its end, or notes why it could not. */
function counting(failures: unknown[] = [], begun: () => void = () => undefined) {
  return async ({ content, params }: HttpRequest) => {
    const hash = createHash('sha256');
    let [size, most] = [0, 0];
    try {
      for await (const chunk of content!) {
        begun();
        hash.update(chunk);
        size += chunk.length;
        most = Math.max(most, chunk.length);
      }
    } catch (error) {
      failures.push(error);
      throw error;
    }
    return { status: 200, json: { size, most, digest: hash.digest('hex'), rest: params['*'] } };
  };
}

const puts = (changes: Partial<Route> = {}): Route =>
  route({ path: '/files/*', method: 'PUT', stream_body: true, handle: counting(), ...changes });

async function serve(t: Test, routes: Route[], parts: Omit<TestParts, 'routes'> = {}) {
  const { http, lines } = assemble({ routes, ...parts });
  await http.listen();
  t.teardown(() => http.close(0));
  return { http, lines, url: http.base_url() };
}

t.test('a body arrives in pieces, whatever its size and form', async (t) => {
  const { url } = await serve(t, [puts()]);
  const large = Buffer.alloc(5 * 1024 * 1024, 'abc');
  const answer = await ask(url, '/files/a/b%20c/d', { method: 'PUT', body: large });
  t.match(answer.json, {
    size: large.length,
    rest: 'a/b c/d',
    digest: createHash('sha256').update(large).digest('hex'),
  });
  t.ok(Number(answer.json.most) < 1024 * 1024, 'and is never in one piece');
  const chunked = { method: 'PUT', headers: { 'transfer-encoding': 'chunked' }, body: large };
  t.equal((await ask(url, '/files/x', chunked)).json.size, large.length);
  t.equal((await ask(url, '/files/x', { method: 'PUT' })).json.size, 0);
  t.equal((await ask(url, '/files/x', { method: 'PUT', body: '{', headers: { 'content-type': 'a/b' } })).json.size, 1);
  t.equal((await ask(url, '/files/', { method: 'PUT', body: 'x' })).status, 404);
});

t.test('a body over the limit is refused, by its head or on the way', async (t) => {
  const { url } = await serve(t, [puts({ body_limit: 1000 })]);
  const body = Buffer.alloc(1001);
  t.match(await ask(url, '/files/x', { method: 'PUT', body }), { status: 413, json: { limit_bytes: 1000 } });
  const headers = { 'transfer-encoding': 'chunked' };
  t.match(await ask(url, '/files/x', { method: 'PUT', body, headers }), {
    status: 413,
    json: { code: 'payload_too_large' },
  });
  const gzip = { 'content-encoding': 'gzip' };
  t.equal((await ask(url, '/files/x', { method: 'PUT', body: 'x', headers: gzip })).status, 415);
});

t.test('nothing is read for a caller who may not, and nothing is asked of him with Expect', async (t) => {
  let calls = 0;
  const handle = async () => {
    calls += 1;
    throw Errors.nameConflict('not this one');
  };
  const { url } = await serve(t, [puts({ access: { kind: 'user' }, handle })], { limits: { linger_ms: 20 } });
  const expecting = (authorization: string) =>
    sendRaw(
      url,
      `PUT /files/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}Content-Length: 5\r\nExpect: 100-continue\r\n\r\n`,
    );
  const refused = await expecting('');
  t.match(refused, /^HTTP\/1\.1 401/);
  t.equal(calls, 0);
  t.match(await expecting(`Authorization: ${ADA.authorization}\r\n`), /^HTTP\/1\.1 409/, 'before a byte was asked for');
  t.equal(calls, 1);
  const { url: reading } = await serve(t, [puts()]);
  const text = sendRaw(
    reading,
    'PUT /files/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello',
  );
  t.match(await text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/);
});

t.test('a caller who pauses, goes or is held up', async (t) => {
  const failures: unknown[] = [];
  let pieces = 0;
  const handle = counting(failures, () => {
    pieces += 1;
  });
  const { url } = await serve(t, [puts({ handle })], { limits: { body_idle_ms: 300, linger_ms: 20 } });
  const head = 'PUT /files/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\n';
  t.match(await sendRaw(url, `${head}ab`), /^HTTP\/1\.1 408/);
  t.match(failures.pop(), { code: 'request_timeout' });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${head}ab`);
  await until(async () => pieces === 2);
  socket.destroy();
  await until(async () => failures.length > 0);
  t.match(failures.pop(), { message: /closed the connection/ });
  const slow = await serve(
    t,
    [
      puts({
        async handle({ content }) {
          let size = 0;
          for await (const chunk of content!) {
            size += chunk.length;
            if (size === chunk.length) await new Promise((resolve) => setTimeout(resolve, 500));
          }
          return { status: 200, json: { size } };
        },
      }),
    ],
    { limits: { body_idle_ms: 200 } },
  );
  const body = Buffer.alloc(3 * 1024 * 1024);
  const answer = await ask(slow.url, '/files/x', { method: 'PUT', body });
  t.match(answer, { status: 200, json: { size: body.length } }, 'what the reader needs is no pause of the caller');
});

t.test('a server that stops ends what is being read, with an answer', async (t) => {
  const begun = Promise.withResolvers<void>();
  const { http, url } = await serve(t, [puts({ handle: counting([], begun.resolve) })]);
  const { port } = new URL(url);
  const answered = new Promise<number>((resolve, reject) => {
    const sent = request({ port, path: '/files/x', method: 'PUT', headers: { 'content-length': 10 } }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on('error', reject);
    sent.write('abc');
    void begun.promise.then(() => http.close(2000));
  });
  t.equal(await answered, 503);
});
