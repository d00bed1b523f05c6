import t from 'tap';
import { Database, isServiceError } from '../../../kernel/contracts/index.ts';
import { ISOLATES, JobEnvironments, RunEngine, RunStore, type SubmitRun } from '../../engine/runs/contract.ts';
import { CredentialNames, Credentials } from './contract.ts';
import { MAX_BYTES } from './domain/fields.ts';
import { boot, STORES, tablesWith, type TestServer, variablesOf } from '../../../test/kit/index.ts';

const CANARY = 'canary-b21d4e60';
const KINDS = [
  ['bearer', { token: `${CANARY}-1` }, `${CANARY}-1`],
  ['api_key', { header: 'x-api-key', value: `${CANARY}-2 with blanks` }, `${CANARY}-2 with blanks`],
  ['basic', { username: 'ci', password: `${CANARY}:3:ü` }, `ci:${CANARY}:3:ü`],
  ['url_token', { token: `123:${CANARY}` }, `123:${CANARY}`],
] as const;

const submitted = (server: TestServer, more: Partial<SubmitRun>) =>
  server
    .use(RunEngine)
    .submit({ ...server.scope, source: 'true', trigger: { type: 'manual' }, trusted: true, generation: 0, ...more });

/** Claims the latest run and answers what its job gets; then the run ends. */
async function environmentOf(server: TestServer) {
  const [claim] = await server.use(RunStore).claim({ agent_id: 'agt_1', capabilities: ['linux', ISOLATES] }, 1, 60_000);
  try {
    const environment = await server.use(JobEnvironments).environment(claim!);
    return { claim: claim!, environment };
  } finally {
    await server.use(RunStore).complete(claim!, { status: 'succeeded', output: null });
  }
}

for (const store of STORES)
  t.test(store, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    const at = (name: string) => `${server.scoped}/credentials${name === '' ? '' : `/${name}`}`;
    const put = (name: string, body: unknown, role: string = 'admin') => server.call(role, `PUT ${at(name)}`, body);

    t.test('each kind keeps its fields sealed, and nothing shows them again', async (t) => {
      for (const [kind, fields, raw] of KINDS) {
        t.match(await put(kind, { kind, ...fields }), { status: 201, json: { name: kind, kind } });
        t.equal((await put(kind, { kind, ...fields })).status, 200);
        t.equal((await server.use(Credentials).raw(server.scope, { name: kind })).value, raw);
        t.same(await server.use(Credentials).resolve(server.scope, { name: kind, kinds: [kind] }), { kind, ...fields });
      }
      t.same((await server.use(Credentials).raw(server.scope, { name: 'basic' })).masks, [`${CANARY}:3:ü`, 'ci']);
      t.match(await put('dashed', { kind: 'api-key', header: 'X-Key', value: 'abcd' }), { json: { kind: 'api_key' } });
      t.equal((await put('dashed', { kind: 'bearer', token: 'abcd' })).status, 200, 'the kind may change');
      const list = await server.call('member', `GET ${at('')}`);
      t.same(list.json, {
        credentials: [
          { name: 'dashed', kind: 'bearer' },
          ...[...KINDS].reverse().map(([kind]) => ({ name: kind, kind })),
        ],
      });
      t.same(await tablesWith(server.use(Database), CANARY), []);
      t.equal((await server.call('owner', `GET ${at('bearer')}`)).status, 405, 'no route reads one');
      const page = await server.call('member', `GET ${at('')}?limit=2`);
      const next = await server.call('member', `GET ${at('')}?limit=200&cursor=${page.json.next_cursor}`);
      t.same([...page.json.credentials, ...next.json.credentials], list.json.credentials);
    });

    t.test('who may what', async (t) => {
      const roles: string[] = ['viewer', 'member', 'admin', 'owner', 'rival'];
      const answers = async (line: string, body?: unknown) =>
        Promise.all(roles.map(async (role) => (await server.call(role, line, body)).status));
      t.same(await answers(`GET ${at('')}`), [403, 200, 200, 200, 404]);
      t.same(await answers(`GET ${at('bearer')}/uses`), [403, 200, 200, 200, 404]);
      t.same(await answers(`GET ${at('absent')}/uses`), [403, 404, 404, 404, 404]);
      t.same(await answers(`PUT ${at('bearer')}`, { kind: 'bearer', token: 'abcd' }), [403, 403, 200, 200, 404]);
      t.same(await answers(`DELETE ${at('absent')}`), [403, 403, 404, 404, 404]);
    });

    t.test('bad input has a clear code and a place, and nothing is half written', async (t) => {
      const bearer = (token: unknown) => ({ kind: 'bearer', token });
      const key = (header: unknown, value: unknown = 'abcd') => ({ kind: 'api_key', header, value });
      const basic = (username: unknown, password: unknown = 'abcd') => ({ kind: 'basic', username, password });
      const bad: [body: unknown, pointer: string, status?: number][] = [
        [{ kind: 'oauth', token: 'abcd' }, '/kind'],
        [{ kind: 'constructor', token: 'abcd' }, '/kind'],
        [{ token: 'abcd' }, '/kind'],
        [{ kind: 'bearer' }, '/token'],
        [bearer(''), '/token'],
        [bearer('abc'), '/token'],
        [bearer(1234), '/token'],
        [bearer('ab\0cd'), '/token'],
        [bearer('ab\r\ncd'), '/token'],
        [bearer('abcdü'), '/token'],
        [bearer(' abcd'), '/token'],
        [{ ...bearer('abcd'), value: 'abcd' }, '/value'],
        [{ ...bearer('abcd'), extra: 'abcd' }, '/extra'],
        [{ kind: 'url_token', token: 'ab cd' }, '/token'],
        [{ kind: 'url_token', token: 'abcd', username: 'x' }, '/username'],
        [{ kind: 'api_key', value: 'abcd' }, '/header'],
        [{ kind: 'api_key', header: 'x-key' }, '/value'],
        ...['', 'x key', 'x:key', 'x\nkey', 'x\0key', 'ü', '(x)', 'x'.repeat(129)].map((name): [unknown, string] => [
          key(name),
          '/header',
        ]),
        ...['Host', 'content-length', 'Transfer-Encoding', 'CONNECTION', 'TE', 'Trailer', 'Upgrade', 'Expect'].map(
          (name): [unknown, string] => [key(name), '/header'],
        ),
        [key('x-key', 'ab\ncd'), '/value'],
        [key('x-key', 'ab\0cd'), '/value'],
        [key('x-key', 'abc'), '/value'],
        [basic('a:b'), '/username'],
        [basic(''), '/username'],
        [basic('a\nb'), '/username'],
        [basic('ann', ''), '/password'],
        [basic('ann', 'abc'), '/password'],
        [basic('ann', 'ab\0cd'), '/password'],
      ];
      const before = (await server.call('member', `GET ${at('')}`)).json;
      for (const [body, pointer] of bad) {
        const answer = await put('bad', body);
        t.match(answer, { status: 400, json: { code: 'invalid_request' } }, JSON.stringify(body));
        t.ok(JSON.stringify(answer.json.errors).includes(`"${pointer}`), `${pointer} in ${answer.text}`);
        t.notOk(answer.text.includes('abcd'), 'the answer holds no value');
      }
      const large = [
        bearer('x'.repeat(MAX_BYTES + 1)),
        basic('ü'.repeat(MAX_BYTES / 2 + 1)),
        key('X', 'x'.repeat(1e6)),
      ];
      for (const body of large) t.match(await put('bad', body), { status: 413, json: { code: 'payload_too_large' } });
      for (const name of ['-x', 'a.b', 'a%20b', '%C3%BC', 'x'.repeat(64)]) {
        t.match(await put(name, bearer('abcd')), { status: 400, json: { errors: [{ pointer: '/path/credential' }] } });
        t.equal((await server.call('admin', `DELETE ${at(name)}`)).status, 404);
        t.equal((await server.call('member', `GET ${at(name)}/uses`)).status, 404);
      }
      t.same((await server.call('member', `GET ${at('')}`)).json, before);
      for (const body of [
        bearer('x'.repeat(MAX_BYTES)),
        basic('a', 'pa:ss'),
        key('Authorization'),
        key("!#$%&'*+.^_`|~-"),
      ])
        t.ok([200, 201].includes((await put('edge', body)).status), JSON.stringify(body).slice(0, 60));
      await server.call('admin', `DELETE ${at('edge')}`);
    });

    t.test('a name belongs to one side, also when both reach for it at once', async (t) => {
      const names = server.use(CredentialNames);
      const database = server.use(Database);
      const takeAccount = (name: string) =>
        database
          .transaction((tx) => names.reserve(tx, server.scope, name, 'account'))
          .then(
            () => 201,
            (error: unknown) => (isServiceError(error) ? error.status : Promise.reject(error)),
          );
      t.equal(await takeAccount('mail'), 201);
      t.match(await put('mail', { kind: 'bearer', token: 'abcd' }), { status: 409, json: { code: 'name_conflict' } });
      t.equal((await server.call('admin', `DELETE ${at('mail')}`)).status, 404, 'nor is it removed from this side');
      t.equal(await takeAccount('bearer'), 409);
      t.notOk(
        (await server.call('member', `GET ${at('')}`)).json.credentials.some(
          ({ name }: { name: string }) => name === 'mail',
        ),
      );
      const raced = Array.from({ length: 20 }, (_, i) => `raced-${i}`);
      const outcomes = await Promise.all(
        raced.map(async (name, i) => {
          const sides = [
            () => put(name, { kind: 'bearer', token: 'abcd' }).then(({ status }) => status),
            () => takeAccount(name),
          ];
          if (i % 2 === 1) sides.reverse();
          return Promise.all(sides.map((side) => side()));
        }),
      );
      for (const outcome of outcomes) t.same([...outcome].sort(), [201, 409]);
      const stored = await database.read<{ name: string }>('SELECT name FROM credentials_credentials ORDER BY name');
      const held = await names.findSources(database, server.scope, raced);
      t.same(
        stored.map(({ name }) => name).filter((name) => raced.includes(name)),
        [...held]
          .filter(([, holder]) => holder === 'credential')
          .map(([name]) => name)
          .sort(),
        'a row for each name that a credential holds, and for no other',
      );
      for (const name of raced) await server.call('admin', `DELETE ${at(name)}`);
    });

    t.test('a submit names credentials that are there', async (t) => {
      const submit = (credentials: unknown) =>
        server.call('member', `POST ${server.scoped}/runs`, { source: 'true', credentials });
      t.match(await submit({ A: 'basic', B: 'absent' }), {
        status: 422,
        json: { code: 'credential_missing', errors: [{ pointer: '/credentials/B' }] },
      });
      for (const credentials of [
        { SVC_A: 'basic' },
        { PATH: 'basic' },
        { A: '${{ x }}' },
        { A: '' },
        { A: 1 },
        ['basic'],
        'basic',
      ])
        t.match(await submit(credentials), { status: 400, json: { code: 'invalid_request' } });
      const made = await submit({ A: 'basic', SECOND: 'basic' });
      t.equal(made.status, 201);
      const { run_id } = made.json;
      t.same((await server.call('viewer', `GET ${server.scoped}/runs/${run_id}`)).json.credentials, {
        A: 'basic',
        SECOND: 'basic',
      });
      t.same((await server.call('member', `GET ${at('basic')}/uses`)).json, {
        name: 'basic',
        uses: [{ kind: 'run', name: run_id, detail: 'script: A, SECOND' }],
        more: false,
      });
      t.same((await server.call('member', `GET ${at('bearer')}/uses`)).json.uses, []);
      const { environment } = await environmentOf(server);
      t.same(
        environment.above.map(({ name, value, secret }) => [name, value, secret]),
        [
          ['A', `ci:${CANARY}:3:ü`, true],
          ['SECOND', `ci:${CANARY}:3:ü`, true],
        ],
      );
      t.same((await server.call('member', `GET ${at('basic')}/uses`)).json.uses, [], 'the run has ended');
      t.same(await tablesWith(server.use(Database), CANARY), [], 'the queue and the history carry the name');
    });

    t.test('a credential wins over a secret and over the literal env of its variable', async (t) => {
      await server.call('admin', `PUT ${server.scoped}/secrets/BOTH`, { value: 'from the secret' });
      await submitted(server, { env: { BOTH: 'from env' }, credentials: { BOTH: 'url_token' } });
      const { environment } = await environmentOf(server);
      t.equal(variablesOf(environment).BOTH, `123:${CANARY}`);
    });

    t.test('what changes between submit and claim counts', async (t) => {
      await put('moving', { kind: 'bearer', token: 'first one' });
      await submitted(server, { credentials: { A: 'moving' } });
      await put('moving', { kind: 'bearer', token: 'second one' });
      t.match((await environmentOf(server)).environment.above, [{ value: 'second one' }]);
      await submitted(server, { credentials: { A: 'moving' } });
      t.equal((await server.call('admin', `DELETE ${at('moving')}`)).status, 204);
      await t.rejects(environmentOf(server), { code: 'credential_missing' });
    });

    t.test('an untrusted run that declares one fails, and so does its child', async (t) => {
      const { run_id } = await submitted(server, { trusted: false, credentials: { A: 'basic' } });
      await t.rejects(environmentOf(server), { code: 'untrusted_run_declares_credential' });
      await submitted(server, { parent: run_id, credentials: { A: 'basic' } });
      await t.rejects(environmentOf(server), { code: 'untrusted_run_declares_credential' });
      await submitted(server, { trusted: false });
      t.same((await environmentOf(server)).environment.above, []);
    });

    t.test('every write is in the audit', async (t) => {
      const { json } = await server.call('admin', `GET ${server.scoped}/audit?limit=200`);
      const done: string[] = json.entries.map(({ action, subject }: Record<string, string>) => `${action} ${subject}`);
      for (const line of ['credential.set basic', 'credential.delete moving']) t.ok(done.includes(line), line);
      t.notOk(done.includes('credential.set bad') || done.includes('credential.set mail'), 'refused ones are not');
    });
  });
