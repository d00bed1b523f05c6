import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { boot, type Store, STORES, until } from '../../../test/kit/index.ts';
import { Bootstrap } from '../../security/access/contract.ts';
import { serving } from './testing/world.ts';

t.setTimeout(300_000);

interface Listed {
  name: string;
  version: string;
  current: boolean;
  workers: string[];
  waiting: number;
  timeout?: string;
}

/** A server without workers, whose functions are registered by hand. */
async function directory(store: Store) {
  const server = await boot({ store, access: 'empty' });
  const owner = (await server.use(Bootstrap).ensure({ user: 'olga', org: 'acme', project: 'shop' })).token;
  const must = async (token: string | undefined, line: string, body?: unknown) => {
    const answer = await server.call(token, line, body);
    if (answer.status >= 300) throw new Error(`${line}: ${answer.status} ${answer.text}`);
    return answer.json as Record<string, unknown>;
  };
  let tokens = 0;
  const token = async (more: object) =>
    (await must(owner, 'POST /api/v1/tokens', { name: `t${(tokens += 1)}`, org: 'acme', ...more })).token as string;
  await must(owner, 'PUT /api/v1/orgs/acme/projects/other');
  await must(owner, 'PUT /api/v1/orgs/acme/projects/shop/members/ada', { role: 'admin' });
  const workers = {
    org: await token({ kind: 'agent' }),
    shop: await token({ kind: 'agent', project: 'shop' }),
    other: await token({ kind: 'agent', project: 'other' }),
  };
  const functions = '/api/v1/orgs/acme/projects/shop/functions';
  return {
    server,
    owner,
    admin: await token({ user: 'ada' }),
    functions,
    register: (by: keyof typeof workers, ...all: object[]) =>
      must(workers[by], 'PUT /api/v1/agents/functions', {
        functions: all.map((one) => ({ versions: 'replay', ...one })),
      }),
    list: async (query = '') =>
      (await must(owner, `GET ${functions}${query}`)) as unknown as { functions: Listed[]; next_cursor?: string },
    show: (name: string) => must(owner, `GET ${functions}/${name}`),
    submit: async (name: string, project = 'shop') =>
      String((await must(owner, `POST /api/v1/orgs/acme/projects/${project}/runs`, { function: name })).run_id),
    must,
  };
}

for (const store of STORES)
  t.test(`the workflows of a project, on ${store}`, async (t) => {
    const it = await directory(store);
    t.teardown(() => it.server.close());
    await t.test('a version that workers of the org and of the project serve is listed once', async (t) => {
      await it.register('org', { name: 'order', version: 'v1', timeout: '1h' }, { name: 'a', version: '1' });
      await it.register('shop', { name: 'order', version: 'v1', timeout: '2h', concurrency: 3 });
      await it.register('other', { name: 'order', version: 'v9' });
      const { functions } = await it.list();
      t.match(functions, [
        { name: 'a', version: '1' },
        { name: 'order', version: 'v1', timeout: '2h', concurrency: 3, current: true, workers: [] },
      ]);
      t.equal(functions.length, 2);
      const first = await it.list('?limit=1');
      const next = await it.list(`?limit=1&cursor=${first.next_cursor}`);
      t.same([...first.functions, ...next.functions], functions, 'nor do pages repeat it');
      t.equal(next.next_cursor, undefined);
    });
    await t.test('a page of one workflow tells what waits for a version that nobody serves', async (t) => {
      const input = { type: 'object', required: ['sku'] };
      await it.register('shop', { name: 'ship', version: 'old', versions: 'pinned' });
      const old = [await it.submit('ship'), await it.submit('ship')];
      await it.register('shop', { name: 'ship', version: 'new', versions: 'replay' });
      const any = await it.submit('ship');
      await it.register('shop', { name: 'fresh', version: '1', input });
      t.match(await it.show('ship'), {
        version: 'new',
        registrations: [
          { version: 'new', current: true, waiting: 1 },
          { version: 'old', current: false, waiting: 2 },
        ],
        waiting: new Set([
          { version: 'old', runs: 2, oldest: old },
          { version: undefined, runs: 1, oldest: [any] },
        ]) as never,
      });
      t.match(await it.show('fresh'), { input, waiting: [] });
      const { functions } = await it.list();
      t.same(
        functions.filter(({ name }) => name === 'ship').map(({ version, waiting }) => [version, waiting]),
        [
          ['new', 1],
          ['old', 2],
        ],
      );
      t.match(await it.server.call(it.owner, `GET ${it.functions}/nobody`), {
        status: 404,
        json: { code: 'function_unknown' },
      });
    });
    await t.test('a name can be freed when nothing uses it', async (t) => {
      const remove = (by: string, name: string) => it.server.call(by, `DELETE ${it.functions}/${name}`);
      await it.register('shop', { name: 'gone', version: '1' });
      const run_id = await it.submit('gone');
      t.match(await remove(it.admin, 'gone'), {
        status: 409,
        json: { code: 'function_in_use', detail: RegExp(run_id) },
      });
      await it.must(it.owner, `POST /api/v1/orgs/acme/projects/shop/runs/${run_id}/cancel`, {});
      await it.register('other', { name: 'gone', version: '2' });
      const elsewhere = await it.submit('gone', 'other');
      const { status, text } = await remove(it.admin, 'gone');
      t.equal(status, 409);
      t.match(text, /has an open run in another project/);
      t.notMatch(text, elsewhere, 'the admin of one project does not learn of runs in another');
      await it.must(it.owner, `POST /api/v1/orgs/acme/projects/other/runs/${elsewhere}/cancel`, {});
      await it.must(it.owner, 'DELETE /api/v1/orgs/acme/projects/other/functions/gone');
      t.equal((await remove(it.admin, 'gone')).status, 204);
      t.match(await remove(it.admin, 'gone'), { status: 404, json: { code: 'function_unknown' } });
      t.match(await remove(it.admin, 'a'), { status: 403 }, "what a worker of the org has registered is an owner's");
      t.equal((await remove(it.owner, 'a')).status, 204);
      const { entries } = await it.must(it.owner, 'GET /api/v1/orgs/acme/projects/shop/audit?action=function.delete');
      t.match(entries, [{ subject: 'a' }, { subject: 'gone' }]);
      // It has registered one before.
      const all = Array.from({ length: 999 }, (_, n) => ({ name: `n${n}`, version: '1' }));
      for (let from = 0; from < 999; from += 50) await it.register('other', ...all.slice(from, from + 50));
      const other = (method: string, name: string) =>
        it.server.call(it.owner, `${method} /api/v1/orgs/acme/projects/other/functions/${name}`);
      await t.rejects(it.register('other', { name: 'late', version: '1' }), /more than 1000 workflow names/);
      t.equal((await other('DELETE', 'n0')).status, 204);
      await it.register('other', { name: 'late', version: '1' });
      t.equal((await other('GET', 'late')).status, 200, 'a removed name makes room');
    });
  });

for (const store of STORES)
  t.test(`what the built-in agent serves is for all orgs, on ${store}`, async (t) => {
    const it = await directory(store);
    t.teardown(() => it.server.close());
    const builtIn = async (...names: string[]) => {
      for (const name of names)
        await it.server.use(Database).write(
          `INSERT INTO functions_functions (org_id, project_id, name, version, versions, registered_at, seen_at)
           VALUES ('', '', ?, '1', 'replay', 1, 1)`,
          [name],
        );
    };
    const remove = (by: string, name: string) => it.server.call(by, `DELETE ${it.functions}/${name}`);
    await builtIn('alone', 'both', 'shared');
    await it.register('shop', { name: 'both', version: '2' });
    t.match(await remove(it.admin, 'alone'), { status: 403 }, 'not for the admin of a project');
    t.equal((await remove(it.owner, 'alone')).status, 204, 'the owner of the only org may remove it');
    t.equal((await it.server.call(it.owner, `GET ${it.functions}/alone`)).status, 404);
    const other = (await it.server.use(Bootstrap).ensure({ user: 'otto', org: 'evil', project: 'web' })).token;
    const refused = await it.server.call(other, 'DELETE /api/v1/orgs/evil/projects/web/functions/shared');
    t.match(refused, { status: 403, json: { code: 'forbidden', detail: /built-in agent .* for all orgs/ } });
    t.match(await remove(it.owner, 'shared'), { status: 403 }, 'nor may any other owner');
    t.equal((await remove(it.admin, 'both')).status, 204, 'what a worker of the project has registered');
    t.match(await it.show('both'), { version: '1', registrations: { length: 1 } }, 'the built-in one stays');
    t.equal((await it.server.call(other, 'GET /api/v1/orgs/evil/projects/web/functions/shared')).status, 200);
  });

t.test('a workflow that a worker serves is not removed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'served-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'served.mjs');
  writeFileSync(file, `import { workflow } from 'svc/sdk';\nworkflow('served', { concurrency: 2 }, async () => 1);\n`);
  const { server } = await serving(t, file);
  const path = `${server.scoped}/functions/served`;
  const shown = await until(
    async () => {
      const { json } = await server.call('viewer', `GET ${path}`);
      const { registrations = [] } = json as { registrations?: { workers: string[] }[] };
      return registrations[0]?.workers.length === 1 && json;
    },
    { what: 'the worker to be listed' },
  );
  t.match(shown, { concurrency: 2, waiting: [] });
  t.match(await server.call('owner', `DELETE ${path}`), { status: 409, json: { code: 'function_in_use' } });
  t.equal((await server.call('viewer', `GET ${path}`)).status, 200);
});
