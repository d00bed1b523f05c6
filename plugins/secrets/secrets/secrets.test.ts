import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { ISOLATES, JobEnvironments, RunEngine, RunStore, type SubmitRun } from '../../engine/runs/contract.ts';
import { Secrets } from './contract.ts';
import { MAX_BYTES, MAX_TOTAL_BYTES } from './domain/rules.ts';
import { boot, STORES, tablesWith, type TestServer, variablesOf } from '../../../test/kit/index.ts';

const CANARY = 'canary-5f1c9a77';

/** Submits, claims and answers the layers of the job's environment. */
async function claimed(server: TestServer, more: Partial<SubmitRun> = {}) {
  const run = { ...server.scope, source: 'true', trigger: { type: 'manual' }, trusted: true, generation: 0, ...more };
  const { run_id } = await server.use(RunEngine).submit(run);
  const by = { agent_id: 'agt_1', capabilities: ['linux', ISOLATES] };
  const [claim] = await server.use(RunStore).claim(by, 1, 60_000);
  if (claim?.run_id !== run_id) throw new Error('another run was claimed');
  const environment = await server.use(JobEnvironments).environment(claim);
  await server.use(RunStore).complete(claim, { status: 'succeeded', output: null });
  return { claim, environment };
}

for (const store of STORES)
  t.test(store, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    const at = (name: string) => `${server.scoped}/secrets${name === '' ? '' : `/${name}`}`;

    t.test('set, listed, read, set again, removed', async (t) => {
      t.match(await server.call('admin', `PUT ${at('TOKEN')}`, { value: CANARY }), {
        status: 201,
        json: { name: 'TOKEN' },
      });
      const list = await server.call('member', `GET ${at('')}`);
      t.match(list, { status: 200, json: { secrets: [{ name: 'TOKEN', set_at: /^\d{4}-.*Z$/ }] } });
      t.same(Object.keys(list.json.secrets[0]).sort(), ['name', 'set_at']);
      const one = await server.call('member', `GET ${at('TOKEN')}`);
      t.same(one.json, { ...list.json.secrets[0], value: CANARY });
      t.same(await tablesWith(server.use(Database), CANARY), [], 'sealed, and in no audit row');
      t.equal((await server.call('admin', `PUT ${at('TOKEN')}`, { value: 'line\nline — ü' })).status, 200);
      t.equal((await server.call('owner', `GET ${at('TOKEN')}`)).json.value, 'line\nline — ü');
      t.equal((await server.call('admin', `PUT ${at('token')}`, { value: 'other' })).status, 201, 'case counts');
      t.same(
        (await server.call('member', `GET ${at('')}`)).json.secrets.map(({ name }: { name: string }) => name),
        ['token', 'TOKEN'],
        'newest first; setting again keeps the place',
      );
      const first = await server.call('member', `GET ${at('')}?limit=1`);
      const second = await server.call('member', `GET ${at('')}?limit=1&cursor=${first.json.next_cursor}`);
      t.match([first.json.secrets, second.json], [[{ name: 'token' }], { secrets: [{ name: 'TOKEN' }] }]);
      t.notOk('next_cursor' in second.json);
      t.equal((await server.call('admin', `DELETE ${at('token')}`)).status, 204);
      t.equal((await server.call('admin', `DELETE ${at('token')}`)).status, 404);
      t.equal((await server.call('admin', `GET ${at('token')}`)).status, 404);
    });

    t.test('who may what', async (t) => {
      const may: Record<string, Partial<Record<string, number>>> = {
        [`GET ${at('')}`]: { viewer: 403, member: 200, admin: 200, owner: 200, rival: 404 },
        [`GET ${at('TOKEN')}`]: { viewer: 403, member: 200, admin: 200, owner: 200, rival: 404 },
        [`GET ${at('ABSENT')}`]: { viewer: 403, member: 404, admin: 404, owner: 404, rival: 404 },
        [`DELETE ${at('ABSENT')}`]: { viewer: 403, member: 403, admin: 404, owner: 404, rival: 404 },
      };
      for (const [line, answers] of Object.entries(may))
        for (const [role, status] of Object.entries(answers))
          t.equal((await server.call(role as string, line)).status, status, `${role}: ${line}`);
      for (const [role, status] of Object.entries({ viewer: 403, member: 403, rival: 404 }))
        t.equal((await server.call(role as string, `PUT ${at('TOKEN')}`, { value: 'theirs' })).status, status, role);
      const foreign = at('TOKEN').replace('/acme/', '/rival/');
      t.equal((await server.call('rival', `GET ${foreign}`)).status, 404, 'the same name elsewhere is another secret');
    });

    t.test('every read and write is in the audit, refused ones are not', async (t) => {
      const { json } = await server.call('admin', `GET ${server.scoped}/audit?limit=200`);
      const done = json.entries
        .filter(({ action }: { action: string }) => action.startsWith('secret.'))
        .map(({ action, subject, principal }: never) => `${action} ${subject} ${(principal as { name: string }).name}`)
        .reverse();
      const names = ['member1', 'admin1', 'olga'];
      t.same(done.slice(0, 6), [
        'secret.set TOKEN admin1',
        'secret.read TOKEN member1',
        'secret.set TOKEN admin1',
        'secret.read TOKEN olga',
        'secret.set token admin1',
        'secret.delete token admin1',
      ]);
      t.same(
        done.slice(6),
        names.map((name) => `secret.read TOKEN ${name}`),
      );
    });

    t.test('bad input has a clear code, and nothing is half written', async (t) => {
      const before = (await server.call('member', `GET ${at('')}`)).json;
      const bad: [name: string, body: unknown, status: number, code: string, pointer?: string][] = [
        ['A', { value: '' }, 400, 'invalid_request', '/value'],
        ['A', { value: 'abc' }, 400, 'invalid_request', '/value'],
        ['A', { value: '😀😀😀' }, 400, 'invalid_request', '/value'],
        ['A', { value: 'abcd\0' }, 400, 'invalid_request', '/value'],
        ['A', '{"value":"ab\\ud800cd"}', 400, 'invalid_request'],
        ['A', { value: 'x'.repeat(MAX_BYTES + 1) }, 413, 'payload_too_large'],
        ['A', { value: 'ü'.repeat(MAX_BYTES / 2 + 1) }, 413, 'payload_too_large'],
        ['A', { value: 'x'.repeat(2 * 1024 * 1024) }, 413, 'payload_too_large'],
        ['A', { value: 1234 }, 400, 'invalid_request', '/value'],
        ['A', { value: null }, 400, 'invalid_request', '/value'],
        ['A', {}, 400, 'invalid_request'],
        ['A', { value: 'abcd', also: 1 }, 400, 'invalid_request', '/also'],
        ['A', '{"value":"canary-in-broken', 400, 'invalid_request'],
        ...[
          '1A',
          'A-B',
          'A.B',
          'A%20',
          '%C3%9C',
          'SVC_X',
          'SVC_',
          'CI_TRIGGER_SHA',
          'PATH',
          'LD_PRELOAD',
          'LD_X',
          'BASH_ENV',
          'OPENSSL_CONF',
          'OPENSSL_MODULES',
          'npm_config_node_options',
          'MAKEFLAGS',
          'GLOBIGNORE',
          'DOTNET_STARTUP_HOOKS',
          'ENV',
          'NODE_OPTIONS',
          'PYTHONSTARTUP',
          'PERL5OPT',
          'RUBYOPT',
          'GIT_SSH_COMMAND',
          'x'.repeat(129),
        ].map((name): [string, unknown, number, string, string] => [
          name,
          { value: 'abcd' },
          400,
          'invalid_request',
          '/path/secret',
        ]),
      ];
      for (const [name, body, status, code, pointer] of bad) {
        const answer = await server.call('admin', `PUT ${at(name)}`, body);
        t.match(answer, { status, json: { code } }, `${name} ${JSON.stringify(body).slice(0, 40)}`);
        if (pointer) t.equal(answer.json.errors[0].pointer, pointer);
        t.notOk(answer.text.includes('canary') || answer.text.includes('xxxxx'), 'the answer holds no value');
      }
      t.same((await server.call('member', `GET ${at('')}`)).json, before);
      for (const name of ['A-B', 'SVC_X', '%F0%9F%98%80', 'TOKEN%20'])
        t.equal((await server.call('member', `GET ${at(name)}`)).status, 404, name);
      t.equal((await server.call('admin', `PUT ${at('EDGE')}`, { value: 'x'.repeat(MAX_BYTES) })).status, 201);
      t.equal((await server.call('admin', `PUT ${at(`N${'n'.repeat(127)}`)}`, { value: 'ü😀é4' })).status, 201);
      t.equal((await server.call('admin', `DELETE ${at('EDGE')}`)).status, 204);
      t.equal((await server.call('admin', `DELETE ${at(`N${'n'.repeat(127)}`)}`)).status, 204);
    });

    t.test('of racing writers one makes the secret, and the value is one of theirs', async (t) => {
      const values = Array.from({ length: 12 }, (_, i) => `value-${i}`);
      const answers = await Promise.all(values.map((value) => server.call('admin', `PUT ${at('RACED')}`, { value })));
      t.same(answers.map(({ status }) => status).sort(), [...values.slice(1).map(() => 200), 201]);
      t.ok(values.includes((await server.call('admin', `GET ${at('RACED')}`)).json.value));
      await server.call('admin', `DELETE ${at('RACED')}`);
    });

    t.test('trusted jobs get the values of the moment they are claimed, below their own env', async (t) => {
      await server.call('admin', `PUT ${at('SHARED')}`, { value: 'from-secret' });
      const { environment } = await claimed(server, { env: { SHARED: 'from-env' } });
      t.same(environment.below, [
        { name: 'SHARED', value: 'from-secret', secret: true },
        { name: 'TOKEN', value: 'line\nline — ü', secret: true },
      ]);
      const env = variablesOf(environment);
      t.match(env, { SHARED: 'from-env', TOKEN: 'line\nline — ü' });
      await server.call('admin', `PUT ${at('SHARED')}`, { value: 'changed' });
      t.match((await claimed(server)).environment.below, [{ value: 'changed' }, {}]);
      await server.call('admin', `DELETE ${at('SHARED')}`);
      t.equal((await claimed(server)).environment.below.length, 1);
    });

    t.test('untrusted runs, and their children whatever they claim to be, get none', async (t) => {
      const untrusted = await claimed(server, { trusted: false });
      t.same(untrusted.environment.below, []);
      const child = await claimed(server, { trusted: true, parent: untrusted.claim.run_id });
      t.equal(child.claim.trusted, false);
      t.same(child.environment.below, []);
    });

    t.test('a sealed value that was moved or changed does not open, and its job does not start', async (t) => {
      await server.call('admin', `PUT ${at('MOVED')}`, { value: 'another value' });
      const database = server.use(Database);
      const rows = await database.read<{ name: string; value: Buffer }>('SELECT name, value FROM secrets_secrets');
      const [from, to] = [rows.find(({ name }) => name === 'MOVED')!, rows.find(({ name }) => name === 'TOKEN')!];
      const put = (value: Buffer) =>
        database.write("UPDATE secrets_secrets SET value = ? WHERE name = 'MOVED'", [value]);
      const flipped = Buffer.from(from.value);
      flipped[flipped.length - 20]! ^= 1;
      for (const value of [Buffer.from(to.value), flipped, Buffer.from(from.value).subarray(0, 7), Buffer.alloc(0)]) {
        await put(value);
        t.match(await server.call('member', `GET ${at('MOVED')}`), {
          status: 500,
          json: { code: 'sealed_value_unreadable' },
        });
        await t.rejects(server.use(Secrets).valuesOf(server.scope), { code: 'sealed_value_unreadable' });
      }
      t.equal((await server.call('admin', `PUT ${at('MOVED')}`, { value: 'set anew' })).status, 200);
      t.equal((await server.call('admin', `DELETE ${at('MOVED')}`)).status, 204);
    });

    t.test('a project has room for so much and no more', async (t) => {
      const value = 'x'.repeat(MAX_BYTES);
      let last = { status: 0, json: undefined as unknown };
      let count = 0;
      for (; count < MAX_TOTAL_BYTES / MAX_BYTES + 1; count += 1) {
        last = await server.call('admin', `PUT ${at(`BIG_${count}`)}`, { value });
        if (last.status !== 201) break;
      }
      t.match(last, { status: 409, json: { code: 'secrets_full' } });
      t.equal((await server.call('member', `GET ${at(`BIG_${count}`)}`)).status, 404, 'nothing is half written');
      t.equal((await server.call('admin', `PUT ${at('BIG_0')}`, { value: 'small' })).status, 200);
      t.equal((await server.call('admin', `PUT ${at(`BIG_${count}`)}`, { value })).status, 201);
    });
  });
