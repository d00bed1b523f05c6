import t from 'tap';
import { Database } from '../../kernel/contracts/index.ts';
import { FarEnd } from '../../features/support/far-end.ts';
import { AwsFarEnd, GcpFarEnd, VaultFarEnd } from '../far-ends/secret-stores.ts';
import { boot, STORES, tablesWith } from '../kit/index.ts';
import { ISOLATES, JobEnvironments, RunEngine, RunStore } from '../../plugins/engine/runs/contract.ts';
import { Secrets } from '../../plugins/secrets/secrets/contract.ts';
import { SecretStores } from '../../plugins/secrets/secret-stores/contract.ts';

const VALUE = 'stored-canary-5f1c';

for (const store of STORES)
  t.test(store, async (t) => {
    const ends = await Promise.all([FarEnd.open(), FarEnd.open(), FarEnd.open()]);
    const [vault, aws, gcp] = [new VaultFarEnd(ends[0]), new AwsFarEnd(ends[1]), new GcpFarEnd(ends[2])];
    const env = { SVC_EGRESS_ALLOW: '127.0.0.0/8' };
    const server = await boot({ store, access: 'project', env });
    t.teardown(async () => {
      await server.close();
      await Promise.all(ends.map((end) => end.close()));
    });
    const base = `${server.scoped}/secret-stores`;
    const urlOf = (end: FarEnd) => end.url('').replace('localhost', '127.0.0.1');
    const vaultBody = { kind: 'vault', url: urlOf(vault.end), login: { token: 'hvs.root-canary' } };
    const put = (name: string, body: object) => server.call('admin', `PUT ${base}/${name}`, body);
    const read = (name: string, path: string, field?: string) =>
      server.use(SecretStores).readValue(server.scope, { store: name, path, ...(field !== undefined && { field }) });
    const test = async (name: string, path: string, field?: string) =>
      (await server.call('admin', `POST ${base}/${name}/test`, { path, field })).json;

    vault.secrets.set('app/db', { password: VALUE, port: 54321, nested: { a: 1 }, short: 'abc' });
    aws.secrets.set('app/db', { password: VALUE });
    aws.secrets.set('plain', VALUE);
    gcp.secrets.set('plain', VALUE);
    t.equal((await put('vault', vaultBody)).status, 201);
    const { keys, region } = aws;
    t.equal((await put('aws', { kind: 'aws', url: urlOf(aws.end), region, login: keys })).status, 201);
    const { service_account } = gcp;
    t.equal((await put('gcp', { kind: 'gcp', url: urlOf(gcp.end), login: { service_account } })).status, 201);

    t.test('values of every kind, whole and by field', async (t) => {
      t.equal(await read('vault', 'app/db', 'password'), VALUE);
      t.equal(await read('vault', 'app/db', 'port'), '54321', 'a number is a text');
      t.equal(await read('aws', 'app/db', 'password'), VALUE);
      t.equal(await read('aws', 'plain'), VALUE);
      t.equal(await read('gcp', 'plain'), VALUE);
      t.equal(await read('gcp', 'plain/versions/latest'), VALUE);
      vault.version = 1;
      t.equal((await put('old', { ...vaultBody, kv_version: 1 })).status, 201);
      t.equal(await read('old', 'app/db', 'password'), VALUE);
      vault.version = 2;
      vault.namespace = 'team/a';
      t.equal((await put('spaced', { ...vaultBody, namespace: 'team/a' })).status, 201);
      t.equal(await read('spaced', 'app/db', 'password'), VALUE);
      vault.namespace = undefined;
    });

    t.test('a login that its far end does not accept is refused', async (t) => {
      await put('bad-aws', {
        kind: 'aws',
        url: urlOf(aws.end),
        region,
        login: { ...keys, secret_access_key: 'wrong-key' },
      });
      const other_account = JSON.stringify({ ...JSON.parse(service_account), client_email: 'other@example.com' });
      await put('bad-gcp', { kind: 'gcp', url: urlOf(gcp.end), login: { service_account: other_account } });
      await put('bad-vault', { ...vaultBody, login: { token: 'hvs.other-canary' } });
      for (const name of ['bad-aws', 'bad-gcp', 'bad-vault'])
        t.match(await test(name, 'plain', 'a'), {
          ok: false,
          code: 'secret_store_refused',
          message: / answered 40[0-3] /,
        });
    });

    t.test('a value is read once for all that want it, and again when its time is over', async (t) => {
      vault.secrets.set('cached', { a: 'first-value' });
      const before = vault.end.seen.length;
      t.same(await Promise.all([1, 2, 3].map(() => read('vault', 'cached', 'a'))), Array(3).fill('first-value'));
      vault.secrets.set('cached', { a: 'second-value' });
      t.equal(await read('vault', 'cached', 'a'), 'first-value');
      t.equal(vault.end.seen.length, before + 1);
      t.match(await test('vault', 'cached', 'b'), { ok: false }, 'a test asks the store itself');
      server.clock.advance(61_000);
      t.equal(await read('vault', 'cached', 'a'), 'second-value');
      vault.secrets.set('cached', { a: 'third-value' });
      t.equal((await put('vault', vaultBody)).status, 200);
      t.equal(await read('vault', 'cached', 'a'), 'third-value', 'a store that is set again has no earlier values');
    });

    t.test('a token of a login is kept, and replaced when the Vault revokes it', async (t) => {
      await put('role', { ...vaultBody, login: vault.role });
      await read('role', 'app/db', 'password');
      await test('role', 'app/db', 'password');
      t.equal(vault.logins, 1);
      vault.tokens.delete('hvs.login-canary-1');
      t.same(await test('role', 'app/db', 'password'), { ok: true });
      t.equal(vault.logins, 2);
    });

    t.test('answers that are no use have clear errors, which contain nothing of them', async (t) => {
      const echo = (status: number) => ({ status, json: { errors: ['hvs.root-canary'], __type: 'hvs.root-canary' } });
      const cases: [answer: NonNullable<VaultFarEnd['fault']>, code: string][] = [
        [() => ({ status: 200, text: `${VALUE} is no JSON` }), 'secret_store_refused'],
        [() => ({ status: 200, text: `["${VALUE}"]` }), 'secret_store_refused'],
        [() => ({ status: 200, text: `{"data":{"data":{"a":"${'x'.repeat(2 << 20)}"}}}` }), 'secret_store_unavailable'],
        [
          () => ({ status: 200, json: { data: { data: { a: `${VALUE}${'x'.repeat(60_000)}` } } } }),
          'secret_store_no_value',
        ],
        [() => ({ status: 200, json: { data: { data: { a: `${VALUE}\0` } } } }), 'secret_store_no_value'],
        [() => ({ status: 200, json: { data: { data: { a: { b: VALUE } } } } }), 'secret_store_no_value'],
        [() => ({ status: 200, json: { data: VALUE } }), 'secret_store_no_value'],
        [
          () => ({ status: 307, headers: { location: 'http://169.254.169.254/latest/meta-data' } }),
          'secret_store_refused',
        ],
        [() => echo(400), 'secret_store_refused'],
        [() => echo(403), 'secret_store_refused'],
        [() => echo(429), 'secret_store_unavailable'],
        [() => echo(500), 'secret_store_unavailable'],
      ];
      for (const [fault, code] of cases) {
        vault.fault = fault;
        const seen = vault.end.seen.length;
        const answer = await test('vault', 'app/db', 'a');
        t.match(answer, { ok: false, code });
        t.notMatch(JSON.stringify(answer), /canary|xxxx/);
        t.equal(vault.end.seen.length, seen + 1, 'nothing is asked twice, and no redirect is followed');
      }
      vault.fault = undefined;
      for (const field of ['absent', 'nested', 'short', '__proto__', 'toString'])
        t.match(await test('vault', 'app/db', field), { ok: false, code: 'secret_store_no_value' }, field);
    });

    t.test('a store that is down is not asked by every claim', async (t) => {
      vault.fault = () => ({ status: 503 });
      const before = vault.end.seen.length;
      for (let n = 0; n < 5; n++)
        await t.rejects(read('vault', 'down', 'a'), { code: 'secret_store_unavailable', definition: { status: 503 } });
      t.equal(vault.end.seen.length, before + 1);
      vault.fault = undefined;
      server.clock.advance(3000);
      await t.rejects(read('vault', 'down', 'a'), { code: 'secret_store_no_value' });
    });

    t.test('addresses that svc must not reach are refused', async (t) => {
      await put('meta', { ...vaultBody, url: 'http://169.254.169.254/latest' });
      t.match(await test('meta', 'a', 'b'), { ok: false, code: 'secret_store_refused', message: /169\.254\.169\.254/ });
    });

    t.test('bad input has a clear code and place, and no message contains a login', async (t) => {
      const account = JSON.stringify({ client_email: 'a@b', private_key_id: '1', private_key: 'canary' });
      const bad: [body: object, pointer: string][] = [
        [{ ...vaultBody, url: 'ftp://a' }, '/url'],
        [{ ...vaultBody, url: 'https://u:canary@a' }, '/url'],
        [{ ...vaultBody, url: 'https://a/?q' }, '/url'],
        [{ kind: 'vault', login: { token: 'canary' } }, '/url'],
        [{ ...vaultBody, mount: '../sys' }, '/mount'],
        [{ ...vaultBody, mount: 'a//b' }, '/mount'],
        [{ ...vaultBody, region: 'eu' }, '/region'],
        [{ ...vaultBody, login: {} }, '/login'],
        [{ ...vaultBody, login: { token: 'canary', role_id: 'r', secret_id: 'canary' } }, '/login'],
        [{ ...vaultBody, login: { token: 'canary\r\nx: y' } }, '/login/token'],
        [{ kind: 'aws', login: keys }, '/region'],
        [{ kind: 'aws', region: 'a.evil.example/', login: keys }, '/region'],
        [{ kind: 'gcp', login: { service_account: 'canary' } }, '/login/service_account'],
        [{ kind: 'gcp', login: { service_account: account } }, '/login/service_account'],
      ];
      for (const [body, pointer] of bad) {
        const answer = await put('bad', body);
        t.match(
          answer,
          { status: 400, json: { code: 'invalid_request', errors: [{ pointer }] } },
          JSON.stringify(body),
        );
        t.notMatch(answer.text, 'canary');
      }
      const paths: [name: string, path: string, field?: string][] = [
        ['vault', '../sys/raw', 'a'],
        ['vault', 'a/../../sys', 'a'],
        ['vault', 'a?list=true', 'a'],
        ['vault', 'a%2f..', 'a'],
        ['vault', '/a', 'a'],
        ['vault', 'a'],
        ['aws', 'a b'],
        ['gcp', 'a/../../other'],
        ['gcp', 'a/versions/1:destroy'],
      ];
      for (const [name, path, field] of paths) {
        const from = { store: name, path, ...(field !== undefined && { field }) };
        const answer = await server.call('admin', `PUT ${server.scoped}/secrets/A`, { from });
        t.match(answer, { status: 400, json: { code: 'invalid_request' } }, path);
      }
      const absent = await server.call('admin', `PUT ${server.scoped}/secrets/A`, { from: { store: 'no', path: 'a' } });
      t.match(absent, { status: 422, json: { code: 'secret_store_missing' } });
      const both = { value: 'abcd', from: { store: 'aws', path: 'a' } };
      for (const body of [both, {}])
        t.equal((await server.call('admin', `PUT ${server.scoped}/secrets/A`, body)).status, 400);
    });

    t.test('other roles and other orgs cannot use a store', async (t) => {
      for (const [role, status] of Object.entries({ viewer: 403, member: 403, rival: 404 })) {
        t.equal((await server.call(role, `PUT ${base}/vault`, vaultBody)).status, status, role);
        t.equal((await server.call(role, `POST ${base}/vault/test`, { path: 'a', field: 'b' })).status, status, role);
        t.equal((await server.call(role, `DELETE ${base}/vault`)).status, status, role);
      }
      t.equal((await server.call('viewer', `GET ${base}`)).status, 403);
      const from = { store: 'vault', path: 'app/db', field: 'password' };
      const theirs = await server.call('rival', `PUT ${server.scoped.replace('/acme/', '/rival/')}/secrets/A`, {
        from,
      });
      t.match(theirs, { status: 422, json: { code: 'secret_store_missing' } }, 'a store belongs to its project');
    });

    t.test('trusted jobs get values, untrusted ones do not, and nothing stores them', async (t) => {
      const from = { store: 'vault', path: 'app/db', field: 'password' };
      t.match(await server.call('admin', `PUT ${server.scoped}/secrets/PW`, { from }), { status: 201 });
      t.match(await server.call('member', `GET ${server.scoped}/secrets`), {
        json: { secrets: [{ name: 'PW', from }] },
      });
      t.same(await server.use(Secrets).valuesOf(server.scope), [{ name: 'PW', value: VALUE }]);
      const environmentOf = async (trusted: boolean) => {
        const run = { ...server.scope, source: 'true', trigger: { type: 'manual' }, trusted, generation: 0 };
        await server.use(RunEngine).submit(run);
        const [claim] = await server
          .use(RunStore)
          .claim({ agent_id: 'agt_1', capabilities: ['linux', ISOLATES] }, 1, 60_000);
        const environment = await server.use(JobEnvironments).environment(claim!);
        await server.use(RunStore).complete(claim!, { status: 'succeeded', output: null });
        return environment;
      };
      t.match((await environmentOf(true)).below, [{ name: 'PW', value: VALUE, secret: true }]);
      const seen = vault.end.seen.length;
      server.clock.advance(61_000);
      t.same((await environmentOf(false)).below, []);
      t.equal(vault.end.seen.length, seen, 'the store is not asked for an untrusted run');
      for (const secret of [VALUE, 'hvs.root-canary', keys.secret_access_key, vault.role.secret_id, 'PRIVATE KEY'])
        t.same(await tablesWith(server.use(Database), secret), [], 'sealed, or not stored');
      t.notMatch(JSON.stringify(server.log.lines), /canary/);
    });
  });
