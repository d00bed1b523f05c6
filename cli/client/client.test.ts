import { execFile } from 'node:child_process';
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { Client } from './client.ts';

const profile = { url: '', token: 'svc_pat_x', org: 'acme', project: 'we b', origin: 'SVC_URL', token_origin: 'here' };

/** A server of the test; answers its address. */
async function listen(t: Test, answer: RequestListener): Promise<string> {
  // As long as svc keeps idle connections: a client that leaves one behind is seen.
  const server = createServer({ keepAliveTimeout: 65_000 }, answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('a call carries the token, the query and the body', async (t) => {
  const seen: Record<string, unknown>[] = [];
  const url = await listen(t, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ ...request.headers, url: request.url, body: Buffer.concat(chunks).toString() });
      response.writeHead(201).end('{"ok":true}');
    });
  });
  const client = new Client({ ...profile, url });
  const call = {
    method: 'POST',
    path: client.scoped('/runs'),
    query: { a: 'ü', b: undefined },
    body: { x: 'é' },
  } as const;
  t.same(await client.answer(call), { status: 201, body: { ok: true } });
  t.match(seen[0], {
    url: '/api/v1/orgs/acme/projects/we%20b/runs?a=%C3%BC',
    authorization: 'Bearer svc_pat_x',
    'content-type': 'application/json',
    body: '{"x":"é"}',
  });
});

/** Sends a streamed body whose end is told late, in a process of its own that ends when nothing holds it. */
const SENDS = `
  import { Client } from ${JSON.stringify(new URL('client.ts', import.meta.url).href)};
  const [url] = process.argv.slice(1);
  async function* content() {
    yield Buffer.from('hello');
    await new Promise(() => undefined);
  }
  const client = new Client({ url, token: 'x', org: 'o', project: 'p', origin: '', token_origin: '' });
  const headers = { 'content-length': '5' };
  console.log((await client.answer({ method: 'PUT', path: '/x', content: content(), headers })).status);
`;

t.test('an answer that comes before a streamed body has told of its end holds no process', async (t) => {
  const url = await listen(t, (request, response) => {
    request.once('data', () => {
      response.writeHead(201, { 'content-length': '2' });
      response.end('{}');
    });
  });
  const run = promisify(execFile);
  const args = ['--input-type=module', '-e', SENDS, url];
  const { stdout } = await run(process.execPath, args, { timeout: 20_000 });
  t.equal(stdout, '201\n');
});

t.test('each refusal has the exit code that fits, and keeps what the server said', async (t) => {
  const problem = {
    code: 'some_code',
    detail: 'said so',
    next: 'do that',
    errors: [{ pointer: '/a', message: 'bad' }],
  };
  for (const [status, exit] of [
    [400, 1],
    [401, 4],
    [403, 1],
    [404, 1],
    [409, 1],
    [500, 1],
    [502, 3],
    [503, 3],
  ] as const) {
    const url = await listen(t, (_, response) => response.writeHead(status).end(JSON.stringify(problem)));
    const refused = { exit, code: 'some_code', message: /said so/, next: 'do that', details: ['/a: bad'] };
    await t.rejects(new Client({ ...profile, url }).json({ path: '/' }), refused, String(status));
  }
  const url = await listen(t, (_, response) => response.writeHead(404).end('<html>'));
  await t.rejects(new Client({ ...profile, url }).json({ path: '/' }), { exit: 1, code: 'http_404', next: /doctor/ });
});

t.test('a token that the server rejects is to be replaced where it comes from', async (t) => {
  const url = await listen(t, (_, response) =>
    response.writeHead(401).end('{"code":"not_authenticated","next":"api"}'),
  );
  for (const [token_origin, next] of [
    ['SVC_TOKEN', /^set SVC_TOKEN to a valid token/],
    ['/home/ana/.config/svc/profile.json', `replace the token: \`svc login --url ${url} --token -\` reads a new one`],
    ['/home/ana/.config/svc/profiles/test.json', / --token - --profile test` reads a new one$/],
  ] as const)
    await t.rejects(new Client({ ...profile, url, token_origin }).json({ path: '/' }), {
      code: 'not_authenticated',
      next,
      message: `the token comes from ${token_origin}`,
    });
});

t.test('what is no svc, or no address, is named', async (t) => {
  const url = await listen(t, (_, response) => response.end('<html>welcome'));
  await t.rejects(new Client({ ...profile, url }).json({ path: '/' }), { exit: 1, code: 'not_svc', message: url });
  for (const wrong of ['nonsense', 'ftp://host', '/path', 'localhost:8787'])
    await t.rejects(new Client({ ...profile, url: wrong }).json({ path: '/' }), { exit: 2, code: 'usage' }, wrong);
});

t.test('a token that cannot stand in a header never leaves, and is not shown', async (t) => {
  for (const token of ['svc_pat_a\nb', 'zwölf', 'two words', '"']) {
    const given = new Client({ ...profile, url: 'http://127.0.0.1:1', token }).json({ path: '/' });
    const error = await given.then(
      () => undefined,
      (refused: Error) => refused,
    );
    if (token === '"') t.match(error, { exit: 3 });
    else t.match(error, { exit: 4, code: 'not_authenticated' });
    t.notOk(error?.message.includes(token), 'the token is not in the message');
  }
});

t.test('a connection that breaks before the answer is an unreachable server', async (t) => {
  const url = await listen(t, (request) => request.socket.destroy());
  await t.rejects(new Client({ ...profile, url }).json({ path: '/' }), {
    exit: 3,
    code: 'unreachable',
    next: /svc dev/,
  });
});

t.test('a connection that breaks in the middle of the answer is an unreachable server', async (t) => {
  for (const status of [200, 409]) {
    const url = await listen(t, (request, response) => {
      response.writeHead(status, { 'content-length': '100' }).write('{"runs": [');
      setImmediate(() => request.socket.destroy());
    });
    const client = new Client({ ...profile, url });
    const broken = { exit: 3, code: 'unreachable', message: new RegExp(`the response from ${url} is incomplete`) };
    await t.rejects(client.json({ path: '/' }), broken);
    await t.rejects(client.text({ path: '/' }), broken);
    await t.rejects(Readable.from(client.chunks({ path: '/' })).toArray(), broken);
  }
});

t.test('an address may lie below a path', async (t) => {
  const paths: (string | undefined)[] = [];
  const url = await listen(t, (request, response) => {
    paths.push(request.url);
    response.end('{}');
  });
  for (const base of [`${url}/below`, `${url}/below/`, url, `${url}/`])
    await new Client({ ...profile, url: base }).json({ path: '/api/v1/whoami' });
  t.same(paths, ['/below/api/v1/whoami', '/below/api/v1/whoami', '/api/v1/whoami', '/api/v1/whoami']);
});

t.test('a redirect is not followed: the token stays with its server', async (t) => {
  const asked: unknown[] = [];
  const far = await listen(t, (request, response) => {
    asked.push(request.headers);
    response.end('{}');
  });
  const url = await listen(t, (_, response) => response.writeHead(307, { location: `${far}/api/v1/whoami` }).end());
  const call = new Client({ ...profile, url }).json({ path: '/api/v1/whoami' });
  await t.rejects(call, {
    exit: 1,
    code: 'redirected',
    message: `${url} redirects to ${far}; the token is for ${url}`,
  });
  t.same(asked, []);
});

t.test('an address with a password, or with what would take in the path, is refused and not shown', async (t) => {
  let asked = 0;
  const server = await listen(t, (_, response) => {
    asked += 1;
    response.end('{}');
  });
  const host = server.slice('http://'.length);
  for (const url of [
    `http://ann:hunter2@${host}`,
    `http://ann@${host}`,
    `${server}/?key=hunter2`,
    `${server}/#hunter2`,
  ]) {
    const error: unknown = await new Client({ ...profile, url })
      .json({ path: '/x' })
      .catch((thrown: unknown) => thrown);
    t.match(error, { exit: 2, code: 'usage', message: host });
    t.notMatch((error as Error).message, /hunter2|ann/);
  }
  t.equal(asked, 0);
});

t.test('a name of dots leads to no other place', async (t) => {
  const seen: unknown[] = [];
  const url = await listen(t, (request, response) => {
    seen.push(request.url);
    response.end('{}');
  });
  const client = new Client({ ...profile, url });
  for (const name of ['.', '..'])
    await t.rejects(client.json({ method: 'POST', path: client.scoped(`/runs/${encodeURIComponent(name)}/cancel`) }), {
      exit: 2,
      code: 'usage',
    });
  await t.rejects(new Client({ ...profile, url, org: '..' }).json({ path: '/api/v1/orgs/../x' }), {
    exit: 2,
    code: 'usage',
  });
  await client.json({ path: client.scoped('/artifacts/..a/b.') });
  t.same(seen, ['/api/v1/orgs/acme/projects/we%20b/artifacts/..a/b.']);
});
