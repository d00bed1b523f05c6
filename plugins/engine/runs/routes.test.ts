import t from 'tap';
import { RunStore } from './contract.ts';
import { submitted, withClient } from './testing/client.ts';
import { STORES } from '../../../test/kit/index.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

for (const store of STORES) {
  t.test(`${store}: a run is submitted, shown, listed and cancelled`, (t) =>
    withClient({ store, settings: { public_url: 'https://svc.example' } }, async (_world, client) => {
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
    }),
  );

  t.test(`${store}: an idempotency key makes one run, in the body or as a header`, (t) =>
    withClient({ store }, async (_world, { call }) => {
      const first = await call('POST', '/runs', { source: 'a', idempotency_key: 'k' });
      t.equal(first.status, 201);
      t.notOk('run_url' in first.json, 'no public URL, no run_url');
      const { run_id } = first.json;
      const headers = { 'idempotency-key': 'k' };
      const again = await call('POST', '/runs', { source: 'a' }, { headers });
      t.same([again.status, again.json], [200, { run_id, duplicate: true }]);
      const differs = await call('POST', '/runs', { source: 'b', idempotency_key: 'k' }, { headers });
      t.same([differs.status, differs.json], [200, { run_id, duplicate: true, source_differs: true }]);
      const asks = { env: { A: '1' }, tags: ['t'], subject: 's', input: { n: [1, null] } };
      await call('POST', '/runs', { source: 'a', idempotency_key: 'all', ...asks });
      const repeat = (changes: object) =>
        call('POST', '/runs', { source: 'a', idempotency_key: 'all', ...asks, ...changes });
      t.notOk('source_differs' in (await repeat({})).json, 'the same in everything');
      for (const changes of [
        { env: {} },
        { tags: ['t', 'u'] },
        { subject: 'x' },
        { input: { n: [1] } },
        { input: null },
      ])
        t.match((await repeat(changes)).json, { duplicate: true, source_differs: true }, JSON.stringify(changes));
      t.match(await call('POST', '/runs', { source: 'a', idempotency_key: 'x' }, { headers }), {
        status: 400,
        json: { code: 'invalid_request', errors: [{ pointer: '/idempotency_key' }] },
      });
    }),
  );

  t.test(`${store}: bad submits are refused with their pointers, never with a 5xx`, (t) =>
    withClient({ store }, async (_world, { call, base }) => {
      const bad: [unknown, number, string, string?][] = [
        [{}, 400, 'invalid_request'],
        [{ source: 1 }, 400, 'invalid_request', '/source'],
        [{ source: 'x', sauce: 1 }, 400, 'invalid_request', '/sauce'],
        [{ source: 'x', env: { SVC_URL: '1' } }, 400, 'invalid_request', '/env/SVC_URL'],
        [{ source: 'x', env: { A: 1 } }, 400, 'invalid_request', '/env/A'],
        [{ source: 'x', kind: 'graph' }, 400, 'workflow_kind_unknown', '/kind'],
        [{ source: 'x', cancel_on: ['a b'] }, 400, 'invalid_request', '/cancel_on/0'],
        [{ source: 'x', cancel_on: ['a'.repeat(65)] }, 400, 'invalid_request', '/cancel_on/0'],
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
    withClient({ store }, async (_world, client) => {
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
    withClient({ store }, async (world, client) => {
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
    withClient({ store }, async (_world, { call }) => {
      t.same((await call('POST', '/check', { source: 'true' }, { role: 'viewer' })).json, { ok: true, problems: [] });
      const { status, json } = await call('POST', '/check', { source: 'bad', env: { SVC_A: '' } });
      t.equal(status, 200);
      t.match(json, { ok: false, problems: [{ code: 'invalid_request' }, { line: 1, column: 1, code: 'script_bad' }] });
      t.same((await call('GET', '/runs')).json.runs, []);
      const nothing = await call('POST', '/check', {});
      t.match(nothing, {
        status: 200,
        json: { ok: false, problems: [{ message: /source, graph, node or function/ }] },
      });
    }),
  );
}
