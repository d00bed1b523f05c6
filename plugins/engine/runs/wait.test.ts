import { request } from 'node:http';
import t from 'tap';
import { AccessControl, Errors } from '../../../kernel/contracts/index.ts';
import { RunStore } from './contract.ts';
import { submitted, withClient } from './testing/client.ts';
import { bootEngine, openTestDatabase, roleTokens, STORES, until } from '../../../test/kit/index.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

for (const store of STORES) {
  t.test(`${store}: a submit that waits is answered with the run that it became`, (t) =>
    withClient({ store }, async (world, { call }) => {
      const body = { source: 'true', filename: 'job.sh', idempotency_key: 'k' };
      const answer = call('POST', '/runs?wait=1m', body);
      const claim = await until(() => world.agent.claim().then(([one]) => one));
      await world.use(RunStore).complete(claim, { status: 'succeeded', output: { a: 1 } });
      const { status, json } = await answer;
      const run = { run_id: claim.run_id, workflow: 'job.sh', status: 'succeeded', output: { a: 1 }, finished_at: ISO };
      t.equal(status, 201);
      t.match(json, run);
      t.notOk('duplicate' in json);
      const repeat = await call('POST', '/runs?wait=1m', { ...body, source: 'false' });
      t.equal(repeat.status, 200);
      t.match(repeat.json, { ...run, duplicate: true, source_differs: true });
      t.match((await call('POST', '/runs?wait=0s', { source: 'x' })).json, { status: 'queued', created_at: ISO });
      t.match((await call('POST', '/runs?wait=10ms', { source: 'x' })).json, { status: 'queued', tags: [] });
    }),
  );

  t.test(`${store}: whoever asks for a run waits for its end`, (t) =>
    withClient({ store }, async (world, client) => {
      const { call } = client;
      const run_id = await submitted(client);
      const answers = Array.from({ length: 20 }, () =>
        call('GET', `/runs/${run_id}?wait=1m`, undefined, { role: 'viewer' }),
      );
      const claim = await world.claim();
      await world.use(RunStore).complete(claim, { status: 'failed', code: 'script_failed', message: 'exit 3' });
      for (const answer of answers)
        t.match((await answer).json, { run_id, status: 'failed', error: { code: 'script_failed' } });
      t.match((await call('GET', `/runs/${run_id}?wait=1m`)).json, { status: 'failed' }, 'it is over already');
      const open = await submitted(client);
      t.match((await call('GET', `/runs/${open}?wait=20ms`)).json, { status: 'queued' });
      const cancelled = call('GET', `/runs/${open}?wait=1m`);
      await call('POST', `/runs/${open}/cancel`, { reason: 'enough' });
      t.match((await cancelled).json, { status: 'cancelled', reason: 'enough' });
    }),
  );

  t.test(`${store}: what cannot be waited for is refused, and nothing is submitted`, (t) =>
    withClient({ store }, async (_world, { call, base }) => {
      for (const wait of ['', 'x', '5', '-5s', '11m', '5s%205s', '1s&wait=x', '9'.repeat(40)]) {
        for (const [method, path, body] of [
          ['POST', '/runs', { source: 'true' }],
          ['GET', '/runs/run_1', undefined],
        ] as const) {
          const { status, json } = await call(method, `${path}?wait=${wait}`, body);
          t.equal(status, 400, wait);
          t.match(json, { code: 'invalid_request', errors: [{ pointer: '/query/wait' }] }, wait);
        }
      }
      t.equal((await call('GET', '/runs/run_1?wait=1m')).status, 404);
      const foreign = await fetch(`${base.replace('/main', '/other')}/runs/run_1?wait=1m`, {
        headers: { authorization: 'Bearer member' },
      });
      t.equal(foreign.status, 404);
      t.same((await call('GET', '/runs')).json.runs, []);
    }),
  );

  t.test(`${store}: another server may end the run`, async (t) => {
    const database = await openTestDatabase(store);
    const servers = [await bootEngine({ database }), await bootEngine({ database })];
    t.teardown(async () => {
      for (const server of servers) await server.close();
      await database.drop();
    });
    const [first, second] = servers as [(typeof servers)[0], (typeof servers)[0]];
    const answer = first.call('member', `POST ${first.scoped}/runs?wait=1m`, { source: 'true' });
    const claim = await until(() => second.agent.claim().then(([one]) => one));
    await second.use(RunStore).complete(claim, { status: 'succeeded', output: null });
    t.match((await answer).json, { run_id: claim.run_id, status: 'succeeded' });
  });
}

t.test('who hangs up frees the wait, and a server that stops answers what it knows', async (t) => {
  const server = await bootEngine();
  t.teardown(() => server.close());
  const { run_id } = (await server.call('member', `POST ${server.scoped}/runs`, { source: 'true' })).json;
  const path = `${server.scoped}/runs/${run_id}`;
  const waiting = async (count: number) => {
    const { text } = await server.call(undefined, 'GET /metrics');
    return new RegExp(`^svc_runs_waiting_requests ${count}$`, 'm').test(text);
  };
  const calls = Array.from({ length: 50 }, () =>
    request(`${server.url}${path}?wait=10m`, { headers: { authorization: 'Bearer viewer' } })
      .on('error', () => undefined)
      .end(),
  );
  await until(() => waiting(50), { what: 'the requests to wait' });
  for (const call of calls) call.destroy();
  await until(() => waiting(0), { what: 'the waits to be freed' });
  const open = server.call('viewer', `GET ${path}?wait=10m`);
  await until(() => waiting(1));
  const since = performance.now();
  const closing = server.close();
  t.match(await open, { status: 200, json: { run_id, status: 'queued' } });
  await closing;
  t.ok(performance.now() - since < 4000, 'the stop does not wait for them');
});

t.test('a token that is revoked meanwhile is not answered with what the run became', async (t) => {
  let refusal: Error | undefined;
  const control: AccessControl = {
    ...roleTokens,
    async authenticate(authorization, address) {
      if (refusal && authorization === 'Bearer admin') throw refusal;
      return roleTokens.authenticate(authorization, address);
    },
  };
  const server = await bootEngine({ replace: [[AccessControl, () => control]] });
  t.teardown(() => server.close());
  const runs = `${server.scoped}/runs`;
  const waiting = async (count: number) => {
    const { text } = await server.call(undefined, 'GET /metrics');
    return new RegExp(`^svc_runs_waiting_requests ${count}$`, 'm').test(text);
  };
  const ended = async () => {
    const submitting = server.call('admin', `POST ${runs}?wait=1m`, { source: 'true' });
    const claim = await until(() => server.agent.claim().then(([one]) => one));
    const asking = server.call('admin', `GET ${runs}/${claim.run_id}?wait=1m`);
    await until(() => waiting(2), { what: 'both to wait' });
    return { run_id: claim.run_id, submitting, asking, end: () => server.use(RunStore).complete(claim, OUTPUT) };
  };
  const first = await ended();
  refusal = Errors.notAuthenticated('the token was revoked');
  await first.end();
  for (const answer of [first.submitting, first.asking]) {
    const { status, text } = await answer;
    t.equal(status, 401);
    t.notMatch(text, /after-the-revocation/);
  }
  refusal = undefined;
  const second = await ended();
  refusal = Errors.rateLimited('too many requests', { retryAfterMs: 1000 });
  await second.end();
  t.match(await second.asking, { status: 429 });
  const { status, json } = await second.submitting;
  t.equal(status, 201, 'what was submitted is not refused');
  t.equal(json.run_id, second.run_id);
  t.notOk('output' in json, 'and nothing is told of what it became');
});

const OUTPUT = { status: 'succeeded' as const, output: { said: 'after-the-revocation' } };
