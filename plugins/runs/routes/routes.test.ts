import { get } from 'node:http';
import t from 'tap';
import { type Claimed, RunEngine, RunStore } from '../contract.ts';
import { openTestDatabase, STORES, type Store } from '../testing/test-database.ts';
import { openWorld, type World } from '../testing/world.ts';

type Reply = { status: number; json: Record<string, never> & Record<string, unknown>; headers: Headers };

interface Client {
  base: string;
  call(
    method: string,
    path: string,
    body?: unknown,
    options?: { role?: string; headers?: Record<string, string> },
  ): Promise<Reply>;
}

async function withClient(
  store: Store,
  work: (world: World, client: Client) => Promise<void>,
  public_url?: string,
): Promise<void> {
  const world = await openWorld(store, { public_url });
  try {
    const base = `${await world.http()}/api/v1/orgs/acme/projects/main`;
    await work(world, {
      base,
      async call(method, path, body, { role = 'member', headers = {} } = {}) {
        const type = body === undefined ? {} : { 'content-type': 'application/json' };
        const response = await fetch(base + path, {
          method,
          headers: { authorization: `Bearer ${role}`, ...type, ...headers },
          body: body === undefined ? null : JSON.stringify(body),
        });
        const text = await response.text();
        const json = /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : { text };
        return { status: response.status, json, headers: response.headers };
      },
    });
  } finally {
    await world.close();
  }
}

const submitted = async ({ call }: Client, body: object = {}): Promise<string> =>
  (await call('POST', '/runs', { source: 'true', ...body })).json.run_id as unknown as string;

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Follower {
  text(): string;
  until(found: (text: string) => boolean): Promise<string>;
  closed: Promise<void>;
  cut(): void;
}

/** Server-sent events read with plain node:http, so that the connection can be cut at any byte. */
function follow(url: string, last_id?: string): Follower {
  let text = '';
  let look = () => {};
  const headers = { authorization: 'Bearer viewer', ...(last_id === undefined ? {} : { 'last-event-id': last_id }) };
  let ended = () => {};
  const closed = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const request = get(url, { headers }, (response) => {
    response.setEncoding('utf8');
    response.on('data', (data: string) => {
      text += data;
      look();
    });
    response.on('close', ended);
  });
  request.on('error', ended);
  return {
    text: () => text,
    until: (found) =>
      new Promise((resolve) => {
        look = () => found(text) && resolve(text);
        look();
      }),
    closed,
    cut: () => request.destroy(),
  };
}

const chunk = (n: number) => ({
  n,
  stream: 'stdout' as const,
  at: 0,
  data: Buffer.from(`line ${n}\n`).toString('base64'),
});
/** The bytes of a chunk as text beside them. */
const readable = (data: { data?: string; status?: string }): { text?: string; status?: string } =>
  data.data === undefined ? data : { ...data, text: Buffer.from(data.data, 'base64').toString() };

/** Whole events only: a cut one never reaches an EventSource. */
const events = (text: string) =>
  text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((frame) => {
      const fields = Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
      return fields.event === undefined
        ? []
        : [{ id: fields.id, event: fields.event, data: readable(JSON.parse(fields.data!)) }];
    });

for (const store of STORES) {
  t.test(`${store}: a run is submitted, shown, listed and cancelled`, (t) =>
    withClient(
      store,
      async (_world, client) => {
        const { call } = client;
        const made = await call('POST', '/runs', {
          source: 'echo',
          filename: 'x/hello.sh',
          tags: ['a:b'],
          input: null,
          subject: 's',
        });
        t.equal(made.status, 201);
        t.match(made.json, { run_id: /^run_/, status: 'queued', run_url: /^https:\/\/svc\.example\/.*\/runs\/run_/ });
        const { run_id } = made.json;
        const { json: run } = await call('GET', `/runs/${run_id}`, undefined, { role: 'viewer' });
        const expected = {
          kind: 'script',
          workflow: 'hello.sh',
          status: 'queued',
          tags: ['a:b'],
          subject: 's',
          generation: 0,
        };
        t.match(run, {
          ...expected,
          run_id,
          trusted: true,
          trigger: { type: 'manual' },
          annotations: [],
          created_at: ISO,
        });
        t.notOk('started_at' in run || 'output' in run || 'error' in run || 'substate' in run);
        t.same((await call('GET', '/runs?limit=1&status=queued&tag=a:b&workflow=hello.sh&since=1h')).json.runs, [run]);
        const cancelled = await call('POST', `/runs/${run_id}/cancel`, { reason: 'enough' });
        t.equal(cancelled.status, 200);
        t.match(cancelled.json, { status: 'cancelled', reason: 'enough', finished_at: ISO });
        const again = await call('POST', `/runs/${run_id}/cancel`, { reason: 'twice' });
        t.same([again.status, again.json], [200, cancelled.json], 'cancelling what is cancelled changes nothing');
        t.match(await call('POST', `/runs/${run_id}/signals/go`, {}), { status: 409, json: { code: 'run_finished' } });
      },
      'https://svc.example/',
    ),
  );

  t.test(`${store}: an idempotency key makes one run, in the body or as a header`, (t) =>
    withClient(store, async (_world, { call }) => {
      const first = await call('POST', '/runs', { source: 'a', idempotency_key: 'k' });
      t.equal(first.status, 201);
      t.notOk('run_url' in first.json, 'no public URL, no run_url');
      const { run_id } = first.json;
      const headers = { 'idempotency-key': 'k' };
      const again = await call('POST', '/runs', { source: 'a' }, { headers });
      t.same([again.status, again.json], [200, { run_id, duplicate: true }]);
      const differs = await call('POST', '/runs', { source: 'b', idempotency_key: 'k' }, { headers });
      t.same([differs.status, differs.json], [200, { run_id, duplicate: true, source_differs: true }]);
      t.match(await call('POST', '/runs', { source: 'a', idempotency_key: 'x' }, { headers }), {
        status: 400,
        json: { code: 'invalid_request', errors: [{ pointer: '/idempotency_key' }] },
      });
    }),
  );

  t.test(`${store}: bad submits are refused with their pointers, never with a 5xx`, (t) =>
    withClient(store, async (_world, { call, base }) => {
      const bad: [unknown, number, string, string?][] = [
        [{}, 400, 'invalid_request'],
        [{ source: 1 }, 400, 'invalid_request', '/source'],
        [{ source: 'x', sauce: 1 }, 400, 'invalid_request', '/sauce'],
        [{ source: 'x', env: { SVC_URL: '1' } }, 400, 'invalid_request', '/env/SVC_URL'],
        [{ source: 'x', env: { A: 1 } }, 400, 'invalid_request', '/env/A'],
        [{ source: 'x', kind: 'graph' }, 400, 'invalid_request', '/kind'],
        [{ source: 'x', tags: [''] }, 400, 'invalid_request', '/tags/0'],
        [{ source: 'x', credentials: { A: 'b' } }, 400, 'invalid_request', '/credentials'],
        [{ source: 'bad' }, 422, 'workflow_invalid', '/source'],
        [{ source: 'x'.repeat(1_048_577) }, 413, 'payload_too_large'],
        [{ source: 'x', input: 'x'.repeat(2_097_151) }, 413, 'payload_too_large'],
        [[], 400, 'invalid_request'],
      ];
      for (const [body, status, code, pointer] of bad) {
        const reply = await call('POST', '/runs', body);
        t.match(reply, { status, json: { code, status } }, JSON.stringify(body).slice(0, 60));
        if (pointer)
          t.ok(
            JSON.stringify(reply.json.errors).includes(pointer),
            `${pointer} in ${JSON.stringify(reply.json.errors)}`,
          );
      }
      t.equal(
        (await call('POST', '/runs', { source: '\u0001'.repeat(1_048_576), input: '\u0001'.repeat(300_000) })).status,
        201,
      );
      t.equal((await call('POST', '/runs', { source: 'x' }, { role: 'viewer' })).status, 403);
      t.equal((await call('POST', '/runs', { source: 'x' }, { role: 'nobody' })).status, 401);
      t.equal(
        (await fetch(`${base}/runs`, { method: 'POST', headers: { authorization: 'Bearer member' } })).status,
        400,
      );
    }),
  );

  t.test(`${store}: bad queries, paths and cursors are refused; absent and foreign runs answer alike`, (t) =>
    withClient(store, async (_world, client) => {
      const { call } = client;
      const run_id = await submitted(client);
      const queries = [
        'status=done',
        'since=soon',
        'cursor=x',
        'limit=0',
        'limit=201',
        'limit=x',
        'colour=red',
        'cursor=WzFd',
      ];
      for (const query of queries)
        t.match(await call('GET', `/runs?${query}`), { status: 400, json: { code: 'invalid_request' } }, query);
      const other = client.base.replace('/main', '/other');
      for (const path of ['', '/steps', '/logs', '/logs?follow=true']) {
        const foreign = await fetch(`${other}/runs/${run_id}${path}`, { headers: { authorization: 'Bearer member' } });
        const foreign_json = (await foreign.json()) as { code: string };
        const absent = await call('GET', `/runs/run_0${path}`);
        t.same(
          [foreign.status, foreign_json.code, absent.status, absent.json.code],
          [404, 'not_found', 404, 'not_found'],
          path,
        );
      }
      for (const id of ['%F0%9F%98%80', 'x%20y', `${run_id}%20`, 'x'.repeat(400)])
        for (const [method, path] of [
          ['GET', ''],
          ['GET', '/steps'],
          ['POST', '/cancel'],
          ['POST', '/signals/go'],
        ] as const)
          t.match((await call(method, `/runs/${id}${path}`)).status, 404, `${method} ${id.slice(0, 20)}${path}`);
      t.equal((await call('GET', `/runs/${run_id}/steps?cursor=WzFd`)).status, 400);
      t.equal((await call('POST', `/runs/${run_id}/signals/${'x'.repeat(129)}`)).status, 400);
      t.equal((await call('POST', `/runs/${run_id}/signals/a%0Ab`)).status, 400);
      t.equal((await call('POST', `/runs/${run_id}/cancel`, { why: 1 })).status, 400);
      t.equal((await call('POST', `/runs/${run_id}/cancel`, undefined, { role: 'viewer' })).status, 403);
    }),
  );

  t.test(`${store}: signals carry any JSON, and none is null; steps show what was taken`, (t) =>
    withClient(store, async (world, client) => {
      const { call } = client;
      const run_id = await submitted(client);
      for (const payload of [{ ok: [1] }, 'text', 0, false, null, undefined])
        t.equal((await call('POST', `/runs/${run_id}/signals/go`, payload)).status, 202, JSON.stringify(payload));
      t.equal((await call('POST', `/runs/${run_id}/signals/event:x:y`)).status, 202);
      const claim = await world.claim();
      const store = world.use(RunStore);
      for (let position = 0; position < 7; position++) {
        const at = {
          position,
          kind: 'wait-signal',
          name: 'go',
          ordinal: position,
          digest: '',
          args: null,
          started_at: 0,
        };
        await store.park(claim, position === 6 ? { ...at, timeout_ms: 60_000 } : at);
      }
      const { json } = await call('GET', `/runs/${run_id}/steps`);
      const steps = json.steps as unknown as Record<string, string>[];
      t.same(
        steps.map((step) => step.stdout),
        ['{"ok":[1]}\n', '"text"\n', '0\n', 'false\n', 'null\n', 'null\n', undefined],
      );
      t.match(steps[5], {
        site: 'go#5',
        status: 'recorded',
        kind: 'wait-signal',
        recorded_at: ISO,
        activity: 'main',
        exit_code: 0,
      });
      t.match(steps[6], { status: 'waiting', deadline: ISO, position: 6 });
      t.match((await call('GET', `/runs/${run_id}`)).json, {
        status: 'waiting',
        substate: { kind: 'signal', name: 'go', since: ISO, deadline: ISO },
      });
    }),
  );

  t.test(`${store}: check answers problems and stores nothing`, (t) =>
    withClient(store, async (_world, { call }) => {
      t.same((await call('POST', '/check', { source: 'true' }, { role: 'viewer' })).json, { ok: true, problems: [] });
      const { status, json } = await call('POST', '/check', { source: 'bad', env: { SVC_A: '' } });
      t.equal(status, 200);
      t.match(json, { ok: false, problems: [{ code: 'invalid_request' }, { line: 1, column: 1, code: 'script_bad' }] });
      t.same((await call('GET', '/runs')).json.runs, []);
    }),
  );

  t.test(`${store}: state of the project over HTTP`, (t) =>
    withClient(store, async (_world, { call }) => {
      const path = '/state/repo%2Fapp/last%20sha';
      t.equal((await call('GET', path)).status, 404);
      t.equal((await call('PUT', path, { value: '{"a":1}' })).status, 201);
      t.same(await call('PUT', path, { value: 'x' }).then(({ status, json }) => [status, json]), [
        200,
        { entity: 'repo/app', key: 'last sha' },
      ]);
      t.match((await call('GET', path, undefined, { role: 'viewer' })).json, {
        entity: 'repo/app',
        value: 'x',
        updated_at: ISO,
      });
      t.match((await call('GET', '/state/repo%2Fapp')).json, { cells: [{ entity: 'repo/app', key: 'last sha' }] });
      t.equal((await call('PUT', path, { value: 'x' }, { role: 'viewer' })).status, 403);
      t.equal((await call('PUT', path, { value: 1 })).status, 400);
      t.equal((await call('PUT', path, { value: 'é'.repeat(131_073) })).status, 413);
      t.equal((await call('PUT', '/state/e/a%0Ab', { value: 'x' })).status, 400);
      t.equal((await call('DELETE', path)).status, 204);
      t.equal((await call('DELETE', path)).status, 404);
    }),
  );

  t.test(`${store}: a followed log resumes without loss or repeat, and ends with the status`, (t) =>
    withClient(store, async (world, client) => {
      const run_id = await submitted(client);
      const url = `${client.base}/runs/${run_id}/logs?follow=true`;
      const store = world.use(RunStore);
      const claim: Claimed = await world.claim();
      const writing = (async () => {
        for (let n = 0; n < 300; n++) await store.appendLogs(claim, [chunk(n)]);
      })();
      const seen: string[] = [];
      let last: string | undefined;
      for (let round = 1; round <= 5; round++) {
        const follower = follow(url, last);
        const text = await follower.until((all) => events(all).length >= 40);
        follower.cut();
        await follower.closed;
        for (const { id, data } of events(text)) {
          seen.push(data.text!);
          last = id;
        }
      }
      await writing;
      const whole = follow(url);
      const rest = follow(url, last);
      await rest.until((all) => events(all).length + seen.length >= 300);
      await store.complete(claim, { status: 'failed', code: 'script_failed', message: 'exit 1' });
      await Promise.all([rest.closed, whole.closed]);
      const tail = events(rest.text());
      t.same(tail.at(-1), { id: undefined, event: 'end', data: { status: 'failed' } });
      for (const { data } of tail.slice(0, -1)) seen.push(data.text!);
      const lines = Array.from({ length: 300 }, (_, n) => `line ${n}\n`);
      t.same(seen, lines);
      t.same(
        events(whole.text())
          .slice(0, -1)
          .map(({ data }) => data.text),
        lines,
        'another follower saw the same',
      );
      const plain = await client.call('GET', `/runs/${run_id}/logs`);
      t.equal(plain.json.text, lines.join(''));
      t.equal(plain.headers.get('content-type'), 'text/plain; charset=utf-8');
      t.equal(
        (await client.call('GET', `/runs/${run_id}/logs?follow=true`, undefined, { headers: { 'last-event-id': 'x' } }))
          .status,
        400,
      );
    }),
  );

  t.test(`${store}: what one server stores is followed on another`, async (t) => {
    const shared = await openTestDatabase(store);
    const one = await openWorld(store, { shared });
    const two = await openWorld(store, { shared });
    try {
      const { run_id } = await one.use(RunEngine).submit(one.submit());
      const follower = follow(`${await two.http()}/api/v1/orgs/acme/projects/main/runs/${run_id}/logs?follow=true`);
      await follower.until((text) => text.includes(': connected'));
      const claim = await one.claim();
      for (let n = 0; n < 3; n++) {
        await one.use(RunStore).appendLogs(claim, [chunk(n)]);
        await follower.until((text) => events(text).length === n + 1);
      }
      await one.use(RunStore).complete(claim, { status: 'succeeded', output: null });
      await follower.closed;
      t.same(
        events(follower.text()).map(({ data }) => data.text ?? data.status),
        ['line 0\n', 'line 1\n', 'line 2\n', 'succeeded'],
      );
    } finally {
      await one.close();
      await two.close();
      await shared.drop();
    }
  });

  t.test(`${store}: a hundred followers of a silent run end when the server stops`, async (t) => {
    const world = await openWorld(store);
    const base = `${await world.http()}/api/v1/orgs/acme/projects/main`;
    const headers = { authorization: 'Bearer member', 'content-type': 'application/json' };
    const made = await fetch(`${base}/runs`, { method: 'POST', headers, body: '{"source":"x"}' });
    const { run_id } = (await made.json()) as { run_id: string };
    const followers = Array.from({ length: 100 }, () => follow(`${base}/runs/${run_id}/logs?follow=true`));
    await Promise.all(followers.map((follower) => follower.until((text) => text.includes(': connected'))));
    const claim = await world.claim();
    await world.use(RunStore).appendLogs(claim, [chunk(0)]);
    await Promise.all(followers.map((follower) => follower.until((text) => events(text).length === 1)));
    await world.close();
    await Promise.all(followers.map((follower) => follower.closed));
    t.ok(
      followers.every((follower) => events(follower.text()).every(({ event }) => event === 'log')),
      'none is told an end',
    );
  });
}
