import { hash } from 'node:crypto';
import t, { type Test } from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { boot, STORES, type TestServer } from '../../../test/kit/index.ts';
import { Prunables } from '../../platform/retention/contract.ts';
import { ISOLATES, RunEngine, RunStore } from '../../engine/runs/contract.ts';

t.setTimeout(600_000);

const digestOf = (text: string) => `sha256:${hash('sha256', text, 'hex')}`;
const entry = (path: string, text: string) => ({ path, digest: digestOf(text), size: Buffer.byteLength(text) });
const other = (server: TestServer) => server.scoped.replace(/projects\/[^/]+/, 'projects/other');

async function put(server: TestServer, text: string, digest = digestOf(text), scoped = server.scoped) {
  const { status, json } = await server.call('owner', `PUT ${scoped}/files/${digest}`, text, {
    'content-type': 'application/octet-stream',
  });
  return { status, json };
}

async function submit(server: TestServer, text: string, more: object = {}) {
  const body = { source: 'true', files: [entry('lib/a.txt', text)], ...more };
  return server.call('owner', `POST ${server.scoped}/runs`, body);
}

const count = async (server: TestServer, table: string) => {
  const [row] = await server.use(Database).read<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`);
  return Number(row!.n);
};

/** As if hours had passed since anything was used. */
async function prune(server: TestServer): Promise<void> {
  const database = server.use(Database);
  for (const table of ['runs_sources', 'files_sets', 'files_contents'])
    await database.write(`UPDATE ${table} SET used_at = 0`);
  const runs = server.use.all(Prunables).find(({ name }) => name === 'runs')!;
  for await (const _ of runs.prune(database.now() + 60_000, 1000));
}

for (const store of STORES)
  t.test(`files on ${store}`, async (t) => {
    const server = await boot({ store, env: { SVC_UNTRUSTED_RUN_LIMITS: 'calls=8KiB' } });
    t.teardown(() => server.close());
    await uploads(t, server);
    await refusals(t, server);
    await ofDocuments(t, server);
    await underClaims(t, server);
    await ofStrangers(t, server);
    await retention(t, server);
  });

async function uploads(t: Test, server: TestServer): Promise<void> {
  const large = 'x'.repeat(3 * 1024 * 1024);
  t.same((await server.call('owner', `POST ${server.scoped}/files/missing`, { digests: [digestOf(large)] })).json, {
    missing: [digestOf(large)],
  });
  const both = await Promise.all([put(server, large), put(server, large)]);
  t.same(both.map(({ status }) => status).toSorted(), [200, 201], 'two at once leave one');
  t.equal(await count(server, 'files_contents'), 1);
  t.equal(await count(server, 'files_pieces'), 3);
  t.same((await server.call('owner', `POST ${server.scoped}/files/missing`, { digests: [digestOf(large)] })).json, {
    missing: [],
  });
}

/** Members read what a handler, schedule or webhook includes, and nothing else by its digest. */
async function ofDocuments(t: Test, server: TestServer): Promise<void> {
  const text = 'x'.repeat(2 * 1024 * 1024 + 1);
  await put(server, text);
  await put(server, 'unused');
  const workflow = { source: 'true', files: [entry('lib/large.txt', text)] };
  const set = (path: string, body: object, by = 'owner') => server.call(by, `PUT ${server.scoped}/${path}`, body);
  t.equal((await set('handlers/one', { ...workflow, on: ['a'] })).status, 201);
  t.equal((await set('schedules/one', { cron: '0 3 * * *', workflow })).status, 201);
  t.equal((await set('webhooks/one', { forge: 'forge_a', repo: 'acme/site', workflow })).status, 201);
  const pipeline = [
    'jobs:',
    '  a: {workflow: a.sh, include: [lib]}',
    'files: {"a.sh":"true"}',
    `included: ${JSON.stringify({ a: workflow.files })}`,
  ].join('\n');
  t.equal((await set('handlers/flow', { kind: 'pipeline', source: pipeline, on: ['a'] })).status, 201);
  const read = (query: string, digest = digestOf(text), { by = 'owner', scoped = server.scoped } = {}) =>
    server.call(by, `GET ${scoped}/files/${digest}?${query}`);
  for (const query of ['handlers&name=one', 'schedules&name=one', 'webhooks&name=one', 'handlers&name=flow']) {
    const { status, text: answered } = await read(`kind=${query}`);
    t.equal(status, 200, query);
    t.equal(answered === text, true, query);
  }
  const absent = { status: 404, json: { code: 'not_found' } };
  t.match(await read('kind=handlers&name=one', digestOf('unused')), absent, 'a content of no document');
  t.match(await read('kind=handlers&name=two'), absent, 'a document that there is not');
  t.match(await read('kind=handlers&name=one', digestOf(text), { scoped: other(server) }), absent, 'another project');
  t.match(await read('kind=runs&name=one'), { status: 400, json: { code: 'invalid_request' } });
  t.match(await read('kind=handlers&name=one', 'sha256:..'), { status: 400, json: { code: 'invalid_request' } });
  t.match(await read('kind=handlers&name=one', digestOf(text), { by: 'viewer' }), { status: 403 });
  await server.call('owner', `DELETE ${server.scoped}/handlers/one`);
  t.match(await read('kind=handlers&name=one'), absent, 'the document is gone');
  for (const path of ['handlers/flow', 'schedules/one', 'webhooks/one'])
    t.equal((await server.call('owner', `DELETE ${server.scoped}/${path}`)).status, 204, path);
  await prune(server);
}

async function refusals(t: Test, server: TestServer): Promise<void> {
  t.match(await put(server, 'one', digestOf('two')), { status: 422, json: { code: 'include_digest_mismatch' } });
  t.match(await put(server, 'one', 'sha256:abc'), { status: 400, json: { code: 'invalid_request' } });
  t.match(await submit(server, 'nowhere'), {
    status: 409,
    json: { code: 'include_not_stored', missing: [digestOf('nowhere')] },
  });
  await put(server, 'of the first project');
  t.match(
    await server.call('owner', `POST ${other(server)}/runs`, {
      source: 'true',
      files: [entry('a', 'of the first project')],
    }),
    { status: 409, json: { code: 'include_not_stored' } },
    'a digest opens nothing in another project',
  );
  const wrong = { ...entry('a', 'of the first project'), size: 3 };
  t.match(await submit(server, '', { files: [wrong] }), { status: 400, json: { detail: /is 20 bytes long, not 3/ } });
  for (const path of ['../a', '/a', 'a/../b', 'a//b', 'a\u0007', 'svc_sdk/x.py', 'script'])
    t.match(
      (await submit(server, '', { files: [{ ...entry('x', 'of the first project'), path }] })).status,
      /400|422/,
      path,
    );
  const same = [entry('a', 'of the first project'), entry('a/b', 'of the first project')];
  t.match(await submit(server, '', { files: same }), { status: 400 }, 'a file is not a folder');
  const huge = Array.from({ length: 3 }, (_, n) => ({ ...entry(`f${n}`, ''), size: 4 * 1024 * 1024 }));
  t.match(await submit(server, '', { files: huge }), { status: 413, json: { code: 'include_too_large' } });
  t.match(await submit(server, '', { filename: 'a.yml', source: 'jobs: {a: {steps: [{run: "true"}]}}' }), {
    status: 422,
    json: { code: 'include_unsupported' },
  });
}

async function underClaims(t: Test, server: TestServer): Promise<void> {
  for (const text of ['own', 'foreign']) await put(server, text);
  const { run_id } = (await submit(server, 'own')).json;
  const claims = await server.use(RunStore).claim({ agent_id: 'agt_1', capabilities: [] }, 10, 600_000);
  const { activity_id, epoch } = claims.find((claim) => claim.run_id === run_id)!;
  const ask = (method: string, text: string, at = epoch, body?: string) =>
    server.call(
      'agent',
      `${method} /api/v1/agents/activities/${activity_id}/files/${digestOf(text)}?epoch=${at}`,
      body,
    );
  t.match(await ask('GET', 'own'), { status: 200, text: 'own' });
  t.match(await ask('GET', 'foreign'), { status: 409, json: { code: 'include_not_stored' } }, 'only what the run has');
  t.match(await ask('GET', 'own', epoch + 1), { status: 409, json: { code: 'lease_lost' } });
  t.match(await ask('PUT', 'brought', epoch + 1, 'brought'), { status: 409, json: { code: 'lease_lost' } });
  const spawn = (text: string, position: number) =>
    server.use(RunStore).perform(
      { activity_id, epoch },
      {
        position,
        kind: 'spawn',
        name: '',
        ordinal: position,
        digest: '',
        started_at: 0,
        args: { source: 'true', files: [entry('a', text)] },
      },
    );
  await t.rejects(spawn('foreign', 0), { code: 'include_not_stored' }, 'a digest is no content');
  await spawn('own', 0);
  t.equal((await ask('PUT', 'brought', epoch, 'brought')).status, 201, 'a lost claim has brought nothing');
  await spawn('brought', 1);
  t.match(await ask('GET', 'brought'), { status: 409 }, 'it is for the other run');
  await server.use(RunStore).complete({ activity_id, epoch }, { status: 'succeeded', output: {} });
  for (const claim of claims) if (claim.run_id !== run_id) await server.use(RunStore).release(claim);
}

/** Whether the run makes a child of it or not. */
async function ofStrangers(t: Test, server: TestServer): Promise<void> {
  const engine = server.use(RunEngine);
  const run = { ...server.scope, source: 'true', trigger: { type: 'manual' }, generation: 0 };
  const bringing = async (trusted: boolean) => {
    const { run_id } = await engine.submit({ ...run, trusted });
    const agent = { agent_id: 'agt_1', capabilities: ['linux', ISOLATES] };
    const claims = await server.use(RunStore).claim(agent, 10, 600_000);
    const claim = claims.find((one) => one.run_id === run_id)!;
    const path = `/api/v1/agents/activities/${claim.activity_id}/files`;
    const bring = (text: string) => server.call('agent', `PUT ${path}/${digestOf(text)}?epoch=${claim.epoch}`, text);
    const end = () => server.use(RunStore).complete(claim, { status: 'succeeded', output: {} });
    return { bring, end };
  };
  const [first, second, third] = ['1', '2', '3'].map((text) => text.repeat(3500)) as [string, string, string];
  const theirs = await bringing(false);
  for (const text of [first, second, first]) t.ok((await theirs.bring(text)).status <= 201);
  const stored = await count(server, 'files_contents');
  t.match(await theirs.bring(third), { status: 409, json: { code: 'run_storage_limit' } });
  t.equal(await count(server, 'files_contents'), stored, 'nothing of it is stored');
  t.equal((await theirs.bring(first)).status, 200, 'what is there takes nothing more');
  await theirs.end();
  const ours = await bringing(true);
  for (const text of [third, 'x'.repeat(20_000)]) t.equal((await ours.bring(text)).status, 201);
  await ours.end();
}

async function retention(t: Test, server: TestServer): Promise<void> {
  const [run_text, handler_text] = ['for a run', 'for a handler'];
  for (const text of [run_text, handler_text]) await put(server, text);
  const { run_id } = (await submit(server, run_text)).json;
  const handler = { on: ['a.b'], source: 'true', files: [entry('a', handler_text)] };
  const set = await server.call('owner', `PUT ${server.scoped}/handlers/keeps`, handler);
  t.equal(set.status, 201);
  const has = async (text: string) => {
    const asked = await server.call('owner', `POST ${server.scoped}/files/missing`, { digests: [digestOf(text)] });
    return asked.json.missing.length === 0;
  };
  await prune(server);
  await prune(server);
  t.ok(await has(run_text), 'a run that goes on has it');
  t.ok(await has(handler_text), 'a handler has it');
  t.notOk(await has('of the first project'), 'nobody has this');
  const { runs } = (await server.call('owner', `GET ${server.scoped}/runs?limit=200`)).json;
  for (const one of runs) await server.call('owner', `POST ${server.scoped}/runs/${one.run_id}/cancel`, {});
  t.ok(runs.some((one: { run_id: string }) => one.run_id === run_id));
  await server.call('owner', `DELETE ${server.scoped}/handlers/keeps`);
  await prune(server);
  t.ok(await has(run_text), 'somebody may have just found it');
  await prune(server);
  t.notOk(await has(run_text));
  t.notOk(await has(handler_text));
  for (const table of ['files_contents', 'files_pieces', 'files_sets', 'files_members'])
    t.equal(await count(server, table), 0, table);
}
