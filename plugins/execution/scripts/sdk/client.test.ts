import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import {
  activity,
  call,
  emit,
  lock,
  runHandle,
  spawn,
  step,
  submit,
  type SvcError,
  waitEvent,
  waitSignal,
  WaitTimeoutError,
  workflow,
} from './sdk.mjs';
import { findServer } from './server.mjs';

interface Answer {
  status?: number;
  json?: unknown;
  /** Closes the connection in place of an answer. */
  drop?: true;
}

interface Seen {
  method: string | undefined;
  path: string | undefined;
  body: unknown;
  headers: IncomingMessage['headers'];
}

/** A server that answers with what `answers` has next, and the program's settings for it. */
async function openServer(t: Test, answers: Answer[], address: number | string = 0) {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const listener: RequestListener = async (request, response) => {
    const { method, url: path, headers } = request;
    const body = await text(request);
    seen.push({ method, path, headers, body: body === '' ? undefined : JSON.parse(body) });
    const { status = 200, json, drop } = answers.shift() ?? { status: 500 };
    if (drop) request.socket.destroy();
    else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  };
  const server = createServer(listener).on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((listening) => server.listen(address, listening));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url =
    typeof address === 'string' ? `unix:${address}` : `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  setEnv(t, { SVC_URL: url, SVC_TOKEN: 'tok', SVC_ORG: 'acme', SVC_PROJECT: 'main' });
  return { seen, sockets };
}

function setEnv(t: Test, env: Record<string, string>) {
  const before = { ...process.env };
  Object.assign(process.env, env);
  t.teardown(() => {
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
  });
}

async function openFolder(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-client-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const started = { status: 201, json: { run_id: 'run_1', status: 'queued' } };
const order = workflow('order', async (input: { sku: string }) => input.sku);

t.test('a submit starts a run, and its handle reads, signals and cancels it', async (t) => {
  const { seen } = await openServer(t, [
    started,
    { json: { run_id: 'run_1', status: 'running' } },
    { status: 202, json: {} },
    { json: {} },
    { json: { run_id: 'run_1', status: 'running' } },
    { json: { run_id: 'run_1', status: 'succeeded', output: { at: 1 } } },
  ]);
  const handle = await submit(order, { sku: 'a' }, { idempotencyKey: 'k', tags: ['x'], subject: 's', timeout: 60_000 });
  t.match(handle, { runId: 'run_1', duplicate: false });
  t.equal(await handle.status(), 'running');
  await handle.signal('approved', { by: 'ana' });
  await handle.cancel('enough');
  t.same(await handle.result(), { at: 1 });
  const runs = '/api/v1/orgs/acme/projects/main/runs';
  t.match(seen, [
    {
      method: 'POST',
      path: runs,
      headers: { authorization: 'Bearer tok' },
      body: {
        function: 'order',
        input: { sku: 'a' },
        idempotency_key: 'k',
        tags: ['x'],
        subject: 's',
        timeout: '60s',
      },
    },
    { method: 'GET', path: `${runs}/run_1` },
    { method: 'POST', path: `${runs}/run_1/signals/approved`, body: { by: 'ana' } },
    { method: 'POST', path: `${runs}/run_1/cancel`, body: { reason: 'enough' } },
    { method: 'GET', path: `${runs}/run_1?wait=50000ms` },
    { method: 'GET', path: `${runs}/run_1?wait=50000ms` },
  ]);
});

t.test('any program emits events, and takes the handle of a run by its ID', async (t) => {
  const { seen } = await openServer(t, [
    { status: 201, json: { event: 'evt_1' } },
    { status: 202, json: {} },
    { status: 404, json: { code: 'not_found', detail: 'there is no such run' } },
  ]);
  t.equal(await emit('order.paid', { key: 'order:1', payload: { total: 3 } }), 'evt_1');
  t.match(seen[0], {
    method: 'POST',
    path: '/api/v1/orgs/acme/projects/main/events',
    body: { type: 'order.paid', key: 'order:1', payload: { total: 3 } },
    headers: { 'idempotency-key': /^[0-9a-f-]{36}$/ },
  });
  const handle = await runHandle('run_7');
  t.equal(handle.runId, 'run_7');
  await handle.signal('approved', { by: 'ana' });
  t.match(seen[1], { path: '/api/v1/orgs/acme/projects/main/runs/run_7/signals/approved', body: { by: 'ana' } });
  await t.rejects(handle.status(), { code: 'not_found' });
  await t.rejects(runHandle(''), { code: 'usage' });
});

t.test('an option that has no effect is an error', async (t) => {
  const given = (options: object) => options as never;
  for (const [called, message] of [
    [() => step('a', () => 1, given({ retries: 3 })), /"retries" of a step; use label, retry, timeout/],
    [() => step('a', ['true'], given({ workdir: '/' })), /"workdir" of a step/],
    [() => waitSignal('a', given({ timeoutSeconds: 1 })), /"timeoutSeconds" of waitSignal; use timeout/],
    [() => waitSignal('a', 60 as never), /the options of waitSignal must be an object with timeout/],
    [() => waitEvent('a.b', given({ match: {} })), /"match" of waitEvent; use timeout, untrusted/],
    [() => emit('a.b', given({ total: 3 })), /"total" of emit; use key, payload/],
    [() => lock('a', () => 1, given({ ttl: 1 })), /"ttl" of a lock/],
    [() => activity('a', ['true'], given({ cwd: '/' })), /"cwd" of an activity/],
    [() => spawn('a.sh', given({ input: 1 })), /"input" of spawn; use as, tags/],
    [() => spawn(order as never), /spawn runs a file; start "order" with submit inside a step, or with call/],
  ] as const)
    await t.rejects(called(), { code: 'usage', message }, String(called));
});

t.test('a run that did not succeed throws its code', async (t) => {
  const error = { code: 'function_failed', message: 'declined' };
  await openServer(t, [
    started,
    { json: { run_id: 'run_1', status: 'failed', error } },
    { json: { run_id: 'run_1', status: 'cancelled', reason: 'enough' } },
    { json: { run_id: 'run_1', status: 'running' } },
  ]);
  const handle = await submit('order');
  await t.rejects(handle.result(), { name: 'SvcError', code: 'function_failed', message: /run_1 failed: declined/ });
  await t.rejects(handle.result(), { code: 'run_cancelled', message: /enough/ });
  await t.rejects(handle.result({ timeout: 0 }), WaitTimeoutError);
});

t.test('a wait goes on after an outage, and a repeated request finds its first run', async (t) => {
  const { seen } = await openServer(t, [
    started,
    { status: 503, json: { code: 'stopping' } },
    { drop: true },
    { json: { run_id: 'run_1', status: 'succeeded', output: 1 } },
    started,
  ]);
  const handle = await submit('order');
  t.equal(await handle.result(), 1);
  await submit('order');
  const [first, , , , second] = seen.map(
    ({ body }) => (body as { idempotency_key?: string } | undefined)?.idempotency_key,
  );
  t.ok(first && second);
  t.not(first, second);
});

t.test('a connection that the server has closed in the meantime loses no submit', async (t) => {
  const { seen } = await openServer(t, [
    started,
    { drop: true },
    { status: 200, json: { run_id: 'run_2', duplicate: true } },
  ]);
  await submit('order');
  t.match(await submit('order'), { runId: 'run_2', duplicate: true });
  t.same(seen[1]!.body, seen[2]!.body);
});

t.test('a wait ends when its caller aborts it', async (t) => {
  await openServer(t, [started]);
  const handle = await submit('order');
  await t.rejects(handle.result({ signal: AbortSignal.abort(new Error('enough')) }), { message: 'enough' });
});

t.test('what the server refuses has its code and what to do', async (t) => {
  await openServer(t, [
    {
      status: 422,
      json: {
        code: 'input_invalid',
        detail: 'no',
        next: 'Fix it.',
        errors: [{ pointer: '/sku', message: 'is missing' }],
      },
    },
    { status: 401, json: { code: 'not_authenticated', detail: 'unknown token' } },
    { status: 302, json: {} },
    { status: 404, json: undefined },
  ]);
  await t.rejects(submit('order'), { code: 'input_invalid', message: 'no: /sku: is missing', next: 'Fix it.' });
  await t.rejects(submit('order'), { code: 'not_authenticated', message: /comes from SVC_TOKEN/ });
  await t.rejects(submit('order'), { code: 'redirected' });
  await t.rejects(submit('order'), { code: 'http_404' });
  await t.rejects(
    submit('order', () => 1),
    { code: 'usage', message: /must be JSON/ },
  );
  await t.rejects(submit('order', 1, { idempotency_key: 'k' } as never), { code: 'usage', message: /idempotencyKey/ });
  await t.rejects(submit({} as never), { code: 'usage' });
  await t.rejects(call('order'), { code: 'not_in_a_script_run' });
});

t.test('the server can listen on a socket of the file system', async (t) => {
  const path = join(await openFolder(t), 's');
  const { seen } = await openServer(t, [started], path);
  t.match(await submit('order'), { runId: 'run_1' });
  t.equal(seen[0]!.path, '/api/v1/orgs/acme/projects/main/runs');
});

t.test('a submit can name its server', async (t) => {
  const { seen } = await openServer(t, [started]);
  const { SVC_URL: url = '' } = process.env;
  await submit('order', 1, { server: { url, token: 'other', org: 'o', project: 'p' } });
  t.match(seen, [{ path: '/api/v1/orgs/o/projects/p/runs', headers: { authorization: 'Bearer other' } }]);
  const incomplete = submit('order', 1, { server: { url } as never });
  await t.rejects(incomplete, { code: 'not_authenticated' });
});

t.test('nobody listens', async (t) => {
  setEnv(t, { SVC_URL: 'http://127.0.0.1:1', SVC_TOKEN: 't', SVC_ORG: 'o', SVC_PROJECT: 'p' });
  await t.rejects(submit('order'), { code: 'unreachable', message: /no server is listening at this address/ });
});

t.test('the server of a program', async (t) => {
  const folder = await openFolder(t);
  const below = join(folder, 'a/b');
  const path = join(folder, '.svc/profile.json');
  await mkdir(below, { recursive: true });
  await mkdir(join(folder, '.svc'));
  const profile = { url: 'http://127.0.0.1:8787', token: 'tok', org: 'acme', project: 'main' };
  await writeFile(path, JSON.stringify(profile), { mode: 0o600 });
  const home = { HOME: join(folder, 'none') };
  const find = (env: Record<string, string>, from = below) => findServer({ ...home, ...env }, from);

  t.match(await find({}), { ...profile, origin: path });
  t.match(await find({ SVC_URL: 'http://127.0.0.1:8787/', SVC_PROJECT: 'b' }), { token: 'tok', project: 'b' });
  t.match(await find({ SVC_URL: 'https://x', SVC_TOKEN: 'y', SVC_ORG: 'o', SVC_PROJECT: 'p' }), {
    base: 'https://x',
    token: 'y',
    origin: 'SVC_TOKEN',
  });
  await writeFile(join(folder, 'token'), 'from-file\n');
  const of_file = { SVC_URL: 'unix:/run/svc', SVC_TOKEN_FILE: join(folder, 'token'), SVC_ORG: 'o', SVC_PROJECT: 'p' };
  t.match(await find(of_file), { token: 'from-file', socketPath: '/run/svc' });

  const refused: [Record<string, string>, object][] = [
    [{ SVC_URL: 'https://x' }, { code: 'not_authenticated', message: /SVC_TOKEN is not/ }],
    [{ SVC_TOKEN: 'y' }, { code: 'not_authenticated', message: /SVC_URL is not/ }],
    [
      { SVC_URL: 'https://x', SVC_TOKEN: 'y' },
      { code: 'usage', message: /no org/ },
    ],
    [
      { SVC_URL: 'https://u:p@x', SVC_TOKEN: 'y', SVC_ORG: 'o', SVC_PROJECT: 'p' },
      { code: 'usage', message: /address/ },
    ],
    [{ SVC_URL: 'https://x', SVC_TOKEN: 'a\nb', SVC_ORG: 'o', SVC_PROJECT: 'p' }, { code: 'not_authenticated' }],
    [{ SVC_TOKEN_FILE: join(folder, 'absent') }, { code: 'not_authenticated', message: /ENOENT/ }],
    [{ SVC_IDEMPOTENCY_KEY: 'k' }, { code: 'not_authenticated', message: /a job cannot use a profile/ }],
    [{ SVC_PROFILE: '../x' }, { code: 'usage' }],
  ];
  for (const [env, error] of refused) await t.rejects(find(env), { name: 'SvcError', ...error }, JSON.stringify(env));
  await t.rejects(find({}, tmpdir()), { code: 'not_authenticated', message: /no server is configured/ });

  await chmod(path, 0o644);
  await t.rejects(find({}), {
    code: 'profile_open',
    next: `Run \`chmod 600 ${path}\`; if other users had access to this machine, replace the token.`,
  });
  await chmod(path, 0o600);
  await writeFile(path, '{');
  const broken = await find({}).catch((error: SvcError) => error);
  t.match(broken, { code: 'profile_invalid' });
  t.notMatch((broken as SvcError).message, /tok/);
});
