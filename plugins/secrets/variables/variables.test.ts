import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { lowestId } from '../../platform/retention/contract.ts';
import { ISOLATES, JobEnvironments, RunEngine, RunStore, type SubmitRun } from '../../engine/runs/contract.ts';
import { MAX_BYTES, MAX_TOTAL_BYTES, MAX_VARIABLES } from './domain/rules.ts';
import { RunVariables } from './service/run-variables.ts';
import { removeUnseen } from './store/run-values.ts';
import { boot, STORES, type TestServer } from '../../../test/kit/index.ts';

const DAY_MS = 24 * 3_600_000;

const submit = async (server: TestServer, more: Partial<SubmitRun> = {}): Promise<string> => {
  const run = { ...server.scope, source: 'true', trigger: { type: 'manual' }, trusted: true, generation: 0, ...more };
  return (await server.use(RunEngine).submit(run)).run_id;
};

/** What a server that has cached nothing reads for a run. */
const valuesOf = (server: TestServer, run_id: string) =>
  new RunVariables({ database: server.use(Database) }).values.read(server.use(Database), { ...server.scope, run_id });

for (const store of STORES)
  t.test(store, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    const at = (name: string) => `${server.scoped}/vars/${name}`;
    const of_org = (name: string) => `/api/v1/orgs/${server.scope.org}/vars/${name}`;
    const set = async (name: string, value: string, path = at) => {
      const { status } = await server.call('owner', `PUT ${path(name)}`, { value });
      if (status >= 300) throw new Error(`${name} was not set: ${status}`);
    };

    t.test('runs that start during changes see one state each, and see it again later', async (t) => {
      const runs: Promise<string>[] = [];
      for (let n = 1; n <= 12; n++) {
        const first = set('A', `${n}`);
        runs.push(submit(server));
        await first;
        const second = set('B', `${n}`, of_org);
        runs.push(submit(server));
        await second;
      }
      runs.push(submit(server));
      const run_ids = await Promise.all(runs);
      const seen = await Promise.all(run_ids.map((run_id) => valuesOf(server, run_id)));
      for (const { A = '0', B = '0' } of seen) t.ok([0, 1].includes(Number(A) - Number(B)), `A is ${A}, B is ${B}`);
      t.same(seen.at(-1), { A: '12', B: '12' });
      await set('A', 'later');
      t.equal((await server.call('owner', `DELETE ${of_org('B')}`)).status, 204);
      t.same(await Promise.all(run_ids.map((run_id) => valuesOf(server, run_id))), seen);
    });

    t.test('a claim has them below the secrets, and an untrusted one has none', async (t) => {
      await set('PLACE', 'of-the-variable');
      await set('EMPTY', '');
      await server.call('admin', `PUT ${server.scoped}/secrets/PLACE`, { value: 'of-the-secret' });
      const claimOf = async (trusted: boolean) => {
        const run_id = await submit(server, { trusted });
        for (;;) {
          const by = { agent_id: 'agt_1', capabilities: ['linux', ISOLATES] };
          const [claim] = await server.use(RunStore).claim(by, 1, 60_000);
          if (claim?.run_id === run_id) return (await server.use(JobEnvironments).environment(claim)).below;
        }
      };
      const below = await claimOf(true);
      t.same(
        below.filter(({ name }) => name === 'PLACE').map(({ value }) => value),
        ['of-the-variable', 'of-the-secret'],
        'the last one wins',
      );
      t.match(below, [{ name: 'A', value: 'later', secret: false }, { name: 'EMPTY', value: '' }, { name: 'PLACE' }]);
      t.same(
        below.map(({ name, in_vars = false }) => [name, in_vars]),
        [
          ['A', true],
          ['EMPTY', true],
          ['PLACE', true],
          ['PLACE', false],
        ],
        'the SDKs know which of them are variables',
      );
      t.same(await claimOf(false), []);
    });

    t.test('what is out of bounds is rejected and changes nothing', async (t) => {
      const refused: [name: string, body: unknown, status: number, code: string][] = [
        ['BAD', { value: 'a\0b' }, 400, 'invalid_request'],
        ['BAD', '{"value":"\\ud800"}', 400, 'invalid_request'],
        ['BAD', { value: 'ü'.repeat(MAX_BYTES / 2 + 1) }, 413, 'payload_too_large'],
        ['BAD', { value: 1 }, 400, 'invalid_request'],
        ['BAD', { value: 'x', also: 1 }, 400, 'invalid_request'],
        ...['A-B', 'SVC_X', 'CI_TRIGGER_SHA', 'PATH', 'LD_PRELOAD', 'GIT_DIR', 'N'.repeat(129)].map(
          (name): [string, unknown, number, string] => [name, { value: 'x' }, 400, 'invalid_request'],
        ),
      ];
      for (const path of [at, of_org])
        for (const [name, body, status, code] of refused)
          t.match(await server.call('owner', `PUT ${path(name)}`, body), { status, json: { code } }, name);
      await set('LARGE', 'x'.repeat(MAX_BYTES), of_org);
      await set('LARGER', 'x'.repeat(MAX_TOTAL_BYTES - MAX_BYTES), of_org);
      t.match(await server.call('owner', `PUT ${of_org('MORE')}`, { value: 'x' }), {
        status: 409,
        json: { code: 'variables_full', detail: /131072 bytes/ },
      });
      t.equal((await server.call('owner', `GET ${of_org('MORE')}`)).status, 404);
      t.equal(
        (await server.call('viewer', `GET ${at('LARGE')}`)).json.origin,
        'org',
        'the project has room of its own',
      );
      for (const name of ['LARGE', 'LARGER']) await server.call('owner', `DELETE ${of_org(name)}`);
    });

    t.test('a list has what runs get, in pages', async (t) => {
      await set('A', 'hidden', of_org);
      await set('Z', 'of the org', of_org);
      const names: string[] = [];
      for (let cursor = ''; ; ) {
        const { json } = await server.call('viewer', `GET ${server.scoped}/vars?limit=1${cursor}`);
        names.push(...json.vars.map(({ name, origin }: Record<string, string>) => `${name} ${origin}`));
        if (json.next_cursor === undefined) break;
        cursor = `&cursor=${json.next_cursor}`;
      }
      t.same(names, ['Z org', 'EMPTY project', 'PLACE project', 'A project'], 'newest first');
    });

    t.test('a project has a limited number', async (t) => {
      const database = server.use(Database);
      const { org_id, project_id } = server.scope;
      const { json } = await server.call('viewer', `GET ${server.scoped}/vars?limit=200`);
      const count = json.vars.filter(({ origin }: { origin: string }) => origin === 'project').length;
      await database.transaction(async (tx) => {
        for (let n = count; n < MAX_VARIABLES; n++)
          await tx.write(
            `INSERT INTO variables_variables
             (owner_id, name, org_id, variable_id, set_in, value_bytes, created_at, updated_at, value)
             VALUES (?, ?, ?, ?, 1, 0, 0, 0, '')`,
            [project_id, `N${n}`, org_id, `var_${n}`],
          );
      });
      t.match(await server.call('owner', `PUT ${at('ONE_MORE')}`, { value: '' }), {
        status: 409,
        json: { code: 'variables_full', detail: /500 variables/ },
      });
      t.equal((await server.call('owner', `PUT ${at('A')}`, { value: 'replaced' })).status, 200);
    });

    t.test('replaced values go with the last run that could see them', async (t) => {
      const database = server.use(Database);
      const { org_id, project_id } = server.scope;
      const now = database.now();
      const replaced = async () =>
        Number((await database.read<{ n: number }>('SELECT COUNT(*) AS n FROM variables_replaced'))[0]!.n);
      const remove = async () => {
        for await (const _removed of removeUnseen(database, now, 2));
      };
      const before = await replaced();
      t.ok(before > 4);
      await remove();
      t.equal(await replaced(), before, 'replaced a moment ago');
      await database.write('UPDATE variables_replaced SET replaced_at = ?', [now - 3 * DAY_MS]);
      await database.write('INSERT INTO variables_runs VALUES (?, ?, ?, 1, 1)', [
        lowestId('run', now - 5 * DAY_MS),
        org_id,
        project_id,
      ]);
      await remove();
      t.equal(await replaced(), before, 'a run of that time is still there');
      await database.write('DELETE FROM variables_runs WHERE run_id < ?', [lowestId('run', now - 4 * DAY_MS)]);
      await remove();
      t.equal(await replaced(), 0);
    });
  });
